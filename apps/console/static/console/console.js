// What a page does with script beyond what it does without: files are dropped, and what changes
// is asked for again. The page itself is asked; there is no second rendering of anything.
"use strict";

// The key of a form stays in the address: Back leads to the same form, which creates nothing twice.
const keyed = document.querySelector("form[data-keyed]");
if (keyed) history.replaceState(history.state, "", keyed.getAttribute("action"));

// ---------------------------------------------------------------- times

// Pages are served in UTC, which they name; the viewer's own time zone is known here alone. Times
// in the shop's time zone stay as they are.
function showLocalTimes(within) {
  const page = document.documentElement.lang;  // of several Englishes, the viewer's
  const language = navigator.languages.find(each => each.split("-")[0] === page) || page;
  for (const time of within.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if ("zone" in time.dataset) { time.title = moment.toLocaleString(language, { timeZone: time.dataset.zone, timeZoneName: "short" }); continue; }
    if (Number.isNaN(moment.getTime())) continue;
    const form = "date" in time.dataset ? { dateStyle: "medium" } :
      "hour" in time.dataset ? { weekday: "short", hour: "numeric", minute: "2-digit" } : { dateStyle: "medium", timeStyle: "short" };
    time.title = time.textContent;
    const days = Math.round((new Date(moment).setHours(12, 0, 0, 0) - new Date().setHours(12, 0, 0, 0)) / 864e5);
    if ("near" in time.dataset && Math.abs(days) < 2) {
      const day = new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(days, "day");
      const hour = new Intl.DateTimeFormat(language, { timeStyle: "short" }).format(moment);
      time.textContent = `${day[0].toLocaleUpperCase(language)}${day.slice(1)} ${hour}`;
      continue;
    }
    time.textContent = new Intl.DateTimeFormat(language, form).format(moment);
  }
}

// ---------------------------------------------------------------- what changes

const main = document.querySelector("main");
const BOXES = "[type=checkbox], [type=radio]";
const REST = 1000, SLOWEST = 5000; // ms between two looks
let pause = REST, timer = 0, looking = false, rang = false;
// What the server has said, whatever scripts have made of it since.
const served = new WeakMap(Array.from(document.querySelectorAll("[data-live]"), live => [live, live.innerHTML]));
showLocalTimes(document);

async function look() {
  if (looking || document.hidden) { rang = true; return; }
  looking = true; rang = false;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.ok && answer.url === location.href.split("#")[0]) await show(await answer.text());
  } catch { /* away for a moment: the next look may find it */ }
  looking = false;
  if (rang) ring();
  else if ("busy" in main.dataset) later(pause = Math.min(+main.dataset.busy || SLOWEST, pause * 1.3));
}

async function show(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  // Pictures of cameras are loaded before they replace the last ones, which would else go black.
  await Promise.all(Array.from(page.querySelectorAll('img[src*="/camera/"]'), picture => {
    const early = new Image();
    early.src = picture.src;
    return early.decode().catch(() => {});
  }));
  for (const old of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(old.id);
    if (!fresh || served.get(old) === fresh.innerHTML || old.querySelector(":scope > [open]:not(details)")) continue;
    served.set(old, fresh.innerHTML);
    const at = old.contains(document.activeElement) ? document.activeElement : null;
    const box = at && at.matches("[type=checkbox], [type=radio]") && at.id;
    if (at && !box && at.matches("input, select, textarea")) continue;
    const again = at && at.getAttribute("href");
    const open = Array.from(old.querySelectorAll("details"), details => details.open);
    const ticks = Array.from(old.querySelectorAll(BOXES), box => [box.value, box.checked]);
    const errors = old.querySelector(":scope > [data-errors]"); // of the form that was sent
    const place = errors && Array.from(old.children).indexOf(errors);
    old.replaceChildren(...fresh.childNodes);
    if (errors) old.insertBefore(errors, old.children[place] || null);
    showLocalTimes(old);
    for (const [value, ticked] of ticks) {
      for (const box of old.querySelectorAll(BOXES)) if (box.value === value) box.checked = ticked;
    }
    old.querySelectorAll("details").forEach((details, at) => { details.open ||= open[at]; });
    old.hidden = fresh.hidden;
    if (box) document.getElementById(box)?.focus();
    if (again) old.querySelector(`[href="${CSS.escape(again)}"]`)?.focus();
    old.setAttribute("data-new", "");
    setTimeout(() => old.removeAttribute("data-new"), 2000);
    if (fresh.dataset.say && fresh.dataset.say !== old.dataset.say) {
      old.dataset.say = document.getElementById("news").textContent = fresh.dataset.say;
    }
  }
  const { busy } = page.querySelector("main").dataset;
  if (busy !== undefined) main.dataset.busy = busy;
  else delete main.dataset.busy;
  goOn();
}

// A form that needs no decision is sent by itself, once; the next page has the same boxes checked.
let gone = false;
function goOn() {
  const form = document.querySelector("form[data-go-on]");
  if (!form || gone) return;
  gone = true;
  const checked = Array.from(document.querySelectorAll(BOXES)).filter(box => box.checked);
  stored("checked", checked.map(box => box.id).join(" "));
  form.requestSubmit();
}

// What the page before stored for this one; browsers may refuse storage to pages in a frame.
function stored(name, value = "") {
  try {
    const before = sessionStorage.getItem(name);
    sessionStorage.setItem(name, value);
    return before || "";
  } catch { return ""; }
}
for (const id of stored("checked").split(" ")) {
  const box = document.getElementById(id);
  if (box?.matches(BOXES)) box.checked = true;
}

function later(wait) { clearTimeout(timer); timer = setTimeout(look, wait); }
function ring() { pause = REST; later(150); }

if ("busy" in main.dataset) later(pause);
goOn();
document.addEventListener("visibilitychange", () => { if (!document.hidden && rang) ring(); });

// One stream a browser: the tab that holds the lock listens, and tells the others.
if ("events" in main.dataset && document.querySelector("main [data-live]") && navigator.locks) {
  const channel = new BroadcastChannel("events");
  channel.onmessage = ring;
  navigator.locks.request("events", () => new Promise(() => {
    const source = new EventSource("/events/");
    // Nobody has heard what happened before it was open.
    source.onopen = source.onmessage = () => { channel.postMessage(""); ring(); };
    addEventListener("pagehide", () => source.close());
  }));
  addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
}

// ---------------------------------------------------------------- menus and keys

// Menus work without script; with it they close by Escape, and by a click elsewhere.
function closeMenus(but) {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== but) menu.open = false;
}
document.addEventListener("click", event => closeMenus(event.target.closest("details.menu")));

const PAGES = { d: "/", q: "/queue/", p: "/printer/", o: "/order/", m: "/model/" };
let isGoing = false;
document.addEventListener("keydown", event => {
  if (event.key === "Escape") {
    const menu = document.querySelector("details.menu[open]");
    closeMenus();
    menu?.querySelector("summary").focus();
  }
  const isTyping = event.target.closest?.("input, select, textarea, [contenteditable], [role=application]");
  if (isTyping || event.ctrlKey || event.altKey || event.metaKey || !("events" in main.dataset)) return;
  if (isGoing && PAGES[event.key]) location.assign(PAGES[event.key]);
  isGoing = event.key === "g";
  const search = document.querySelector(".topbar input[type=search]");
  if (event.key === "/" && search) { event.preventDefault(); search.focus(); }
});

// ---------------------------------------------------------------- files

const KINDS = { stp: "step", igs: "iges" };
// Larger files go in pieces, by tus 1.0: a line that breaks costs one of them.
const WHOLE = 16 << 20, PIECE = 8 << 20, MOST_FAILURES = 6;
const TUS = { "Tus-Resumable": "1.0.0" };
const PASSING = [408, 409, 423, 429];  // a piece before it has not ended yet, or is not all there

async function send(file, words, tell) {
  const kind = file.name.split(".").pop().toLowerCase();
  const name = file.name.replace(/\.[^.]+$/, "") || file.name;
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), n => n.toString(16)).join("-");
  const fields = words.fields ? new FormData(document.getElementById(words.fields)) : [];
  const body = new URLSearchParams([...fields, ["name", name], ["type", KINDS[kind] || kind], ["key", key]]);
  const answer = await fetch(words.to || "/model/", { method: "POST", body, headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const form = page.querySelector("form[data-upload]");
  if (!form) throw new Error(page.querySelector(".fault, .note.bad")?.textContent || words.failed);
  const said = file.size > WHOLE ? await sendInPieces(file, form.action, tell) :
    await ask("PUT", form.action, { "Content-Type": "application/octet-stream" }, file, tell).catch(() => null);
  if (said?.status !== 204) throw new Error(told(said) || words.failed);
  return answer.url;
}

// The last answer; null where the platform cannot be reached any more.
async function sendInPieces(file, location, tell) {
  let offset = 0, failures = 0, answer = null;
  while (offset < file.size) {
    const headers = { ...TUS, "Upload-Offset": offset, "Upload-Length": file.size, "Content-Type": "application/offset+octet-stream" };
    const piece = file.slice(offset, offset + PIECE), from = offset;
    answer = await ask("PATCH", location, headers, piece, part => tell((from + part * piece.size) / file.size)).catch(() => null);
    if (answer?.status === 204) {
      offset = Number(answer.getResponseHeader("Upload-Offset"));
      failures = 0;
      continue;
    }
    if (answer && !PASSING.includes(answer.status) && answer.status < 500 || ++failures > MOST_FAILURES) return answer;
    await new Promise(done => setTimeout(done, 500 * 2 ** failures));
    const kept = await ask("HEAD", location, TUS, null, () => {}).catch(() => null);
    if (kept?.status === 200) offset = Number(kept.getResponseHeader("Upload-Offset"));
    if (offset === file.size) return { status: 204 };  // it was its answer that was lost
  }
  return answer;
}

function ask(method, location, headers, body, tell) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = event => tell(event.loaded / event.total);
    request.onerror = failed;
    request.onload = () => done(request);
    request.open(method, location);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(body);
  });
}

function told(upload) {
  try { return JSON.parse(upload.responseText).errors[0].title; } catch { return ""; }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.onclick = async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
    button.textContent = button.dataset.copied;
  };
}

const drop = document.querySelector("[data-drop]");
if (drop) {
  drop.querySelector("[data-with-script]").hidden = false;
  drop.querySelector("[data-without-script]").hidden = true;
  const input = document.getElementById("files"), list = drop.querySelector("[data-sendings]");

  const take = async chosen => {
    const files = input.multiple ? chosen : Array.from(chosen).slice(0, 1);
    // One visit for all of them.
    if (drop.dataset.begin) await fetch(drop.dataset.begin, { method: "POST" });
    const pages = await Promise.all(Array.from(files, async file => {
      const line = list.appendChild(document.createElement("li"));
      const name = line.appendChild(document.createElement("bdi"));
      const bar = document.createElement("progress");
      name.textContent = file.name;
      bar.setAttribute("aria-label", `${file.name} ${drop.dataset.sending}`);
      line.append(" ", bar);
      try {
        const page = await send(file, drop.dataset, part => { bar.value = part; });
        const link = document.createElement("a");
        link.href = page;
        link.append(name);
        line.replaceChildren(link, ` ${drop.dataset.sent}`);
        return page;
      } catch (error) {
        const fault = document.createElement("strong");
        fault.className = "fault";
        fault.setAttribute("role", "alert");
        fault.textContent = error.message;
        bar.replaceWith(fault);
        return "";
      }
    }));
    input.value = "";
    if (pages.length === 1 && pages[0] && !("stay" in drop.dataset)) location.assign(pages[0]);
    else ring();
  };

  // Without script the sample is downloaded, to be chosen like any file.
  document.getElementById("models")?.addEventListener("click", async event => {
    const link = event.target.closest("[data-sample]");
    if (!link) return;
    event.preventDefault();
    const sample = await (await fetch(link.href)).blob();
    take([new File([sample], link.href.split("/").pop())]);
  });
  input.addEventListener("change", () => take(input.files));
  addEventListener("dragover", event => { event.preventDefault(); drop.classList.add("over"); });
  addEventListener("dragleave", event => { if (!event.relatedTarget) drop.classList.remove("over"); });
  addEventListener("drop", event => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files.length) take(event.dataTransfer.files);
  });
}
