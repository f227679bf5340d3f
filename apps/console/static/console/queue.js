// The production queue with script: rows are dragged by their handle, and selected all at once.
"use strict";

const waiting = document.getElementById("waiting");
let dragged = null;

function prepare() {
  for (const handle of waiting.querySelectorAll(".handle")) handle.hidden = false;
  const label = waiting.querySelector("[data-selected]");
  const head = waiting.querySelector("thead th");
  if (!label || head.querySelector("input")) return;
  const all = document.createElement("input");
  all.type = "checkbox";
  all.className = "form-check-input";
  all.setAttribute("aria-label", head.textContent);
  all.addEventListener("change", () => {
    for (const box of boxes()) box.checked = all.checked;
    count();
  });
  head.prepend(all);
  label.dataset.none = label.textContent;
  count();
}

function boxes() { return Array.from(waiting.querySelectorAll("[name=pieces]")); }

function count() {
  const label = waiting.querySelector("[data-selected]");
  const chosen = boxes().filter(box => box.checked).length;
  label.textContent = chosen ? `${chosen} ${label.dataset.selected}` : label.dataset.none;
  const all = waiting.querySelector("thead input");
  all.checked = chosen > 0 && chosen === boxes().length;
  all.indeterminate = chosen > 0 && !all.checked;
}

function send(verb) {
  const button = document.createElement("button");
  Object.assign(button, { name: "do", value: verb, hidden: true });
  const form = waiting.querySelector("form");
  form.append(button);
  form.requestSubmit(button);
}

waiting.addEventListener("change", event => { if (event.target.name === "pieces") count(); });
waiting.addEventListener("dragstart", event => {
  dragged = event.target.closest?.("tr[data-item]");
  if (!dragged) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.dataset.item);
  event.dataTransfer.setDragImage(dragged, 0, 0);
});
waiting.addEventListener("dragover", event => {
  const row = event.target.closest("tr[data-item]");
  if (!dragged || !row) return;
  event.preventDefault();
  if (row === dragged) return;
  const box = row.getBoundingClientRect();
  if (event.clientY < box.top + box.height / 2) row.before(dragged);
  else row.after(dragged);
});
waiting.addEventListener("drop", event => {
  if (!dragged) return;
  event.preventDefault();
  const after = dragged.nextElementSibling, before = dragged.previousElementSibling;
  if (after) send(`before:${dragged.dataset.item}:${after.dataset.item}`);
  else if (before) send(`after:${dragged.dataset.item}:${before.dataset.item}`);
  dragged = null;
});
// The list is drawn anew when something changes.
new MutationObserver(prepare).observe(waiting, { childList: true });
prepare();
