// What the runs share takes a while to read: the page is shown without it first.

import { $, fragment } from "./dom.js";

const found = await fragment("/history/steps");
const trouble = $("#main .empty", found);   // its page says what went wrong
$("#steps").replaceChildren(...(trouble ?? found.body).children);
