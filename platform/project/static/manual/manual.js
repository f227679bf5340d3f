// Tries requests of the API out: from the page's own host, as whoever is signed in.
"use strict";

const READ = {
  // What is no number is sent as it is, and refused in the API's own words.
  number: (text) => (Number.isNaN(Number(text)) ? text : Number(text)),
  boolean: (text) => text === "true",
  json: JSON.parse,
  text: (text) => text,
};

/** The request that a form describes; throws a SyntaxError for what is no JSON. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const body = {};
  let whole = null;
  for (const field of form.elements) {
    const place = field.dataset.in;
    if (!place || (field.value === "" && place !== "path")) continue;
    if (place === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(field.value));
    else if (place === "query") query.append(field.name, field.value);
    else if (place === "json") whole = JSON.parse(field.value);
    else body[field.name] = READ[field.dataset.form](field.value);
  }
  const takes = form.querySelector("[data-in=body], [data-in=json]") !== null;
  const asked = query.toString();
  return {
    uri: asked ? `${path}?${asked}` : path,
    options: {
      method: form.dataset.verb,
      credentials: "same-origin",
      headers: takes ? { "Content-Type": "application/json" } : {},
      body: takes ? JSON.stringify(whole ?? body) : undefined,
    },
  };
}

/** Shows words, and below them a text as it is. */
function tell(place, words, text) {
  const said = document.createElement("p");
  said.textContent = words;
  const shown = document.createElement("pre");
  shown.className = "code";
  shown.tabIndex = 0;
  shown.textContent = text;
  place.replaceChildren(said, shown);
}

function asText(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function send(form) {
  const place = form.parentElement.querySelector(".result");
  const button = form.querySelector("button");
  button.disabled = true;
  const begun = performance.now();
  try {
    const { uri, options } = requestOf(form);
    const answer = await fetch(uri, options);
    const took = Math.round(performance.now() - begun);
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    const text = asText(await answer.text());
    tell(place, `${answer.status} in ${took} ms`, `${headers}\n\n${text}`);
  } catch (error) {
    tell(place, "It was not sent, or not answered.", String(error));
  } finally {
    button.disabled = false;
  }
}

for (const trial of document.querySelectorAll(".trial")) trial.hidden = false;
document.addEventListener("submit", (event) => {
  if (!event.target.closest(".trial")) return; // the search is an ordinary form
  event.preventDefault();
  send(event.target);
});
