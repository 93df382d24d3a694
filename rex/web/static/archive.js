// Sizes take a moment: the page is shown without them first.

import { $, fragment } from "./dom.js";

const page = await fragment("/archive?sizes");
if ($("main table", page)) $("main").replaceChildren(...$("main", page).children);
