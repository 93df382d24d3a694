// The page of a workflow: the slider of failures asks for the plan at its place.

import { $, fragment, later } from "./dom.js";

const show = later(150, async () => {
  const slider = $("#mtbf");
  const address = new URL(location.href);
  address.searchParams.set("failures", slider.value);
  const page = await fragment(address);
  $("#persisting").replaceChildren(...$("#persisting", page).children);
  history.replaceState(null, "", address);
});

$("#mtbf")?.addEventListener("input", show);
