// The labelling view. The page holds the current and the next question, so a person never waits for
// the network; what they say goes through the outbox.

import { Outbox, newId } from "./outbox.js";

const desk = document.getElementById("desk");
const { stream, person } = desk.dataset;
let { csrf } = desk.dataset;
const api = `/api/v1/streams/${stream}`;
const stage = document.getElementById("questions");
const buttons = [...desk.querySelectorAll(".answers button")];
const undoButton = desk.querySelector("[data-command=undo]");

const EMPTY_POLL = 2000; // milliseconds between looks for a question where none waits
const AWAY = 5 * 60 * 1000; // after so long without a touch, nothing is kept for this person
const PATIENCE = 30 * 1000; // after so long a request is given up: a network may be lost without a word
const BACK = 50; // replies that can be undone

const LOST = "No connection";
const BUSY = "The server is busy";
const SIGNED_OUT = "You are signed out: sign in again in another tab";
const OTHER = "Somebody else has signed in: reload this page";
const TROUBLES = [LOST, BUSY, SIGNED_OUT, OTHER]; // what ends when the server answers again
const SCRIPT = { "HX-Request": "true" }; // who is signed out is told so, and not led to a form

// Fragments come from this server, whose templates escape every record.
const policy = window.trustedTypes?.createPolicy("askance", { createHTML: (html) => html })
  ?? { createHTML: (html) => html };

const said = []; // what was replied on this page, newest last: { id, node }
let lastTouch = Date.now();
let problem = "";
let refilling = false;
let replies = 0; // how often something was said on this page
let known = 0; // how often it had been when the server said what comes next
let emptyTimer = 0;
let isOther = false; // whether this browser is somebody else's by now

const questions = () => [...stage.querySelectorAll(".question")];
const number = (node) => Number(node.dataset.number);

async function post(path, body) {
  const send = () => fetch(api + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE),
  });
  const answer = await send();
  const isRefused = answer.status === 401 || answer.status === 403;
  return isRefused && await renewToken() ? send() : answer;
}

// Who signs in again, in another tab perhaps, has a new token; whether there was one.
async function renewToken() {
  const answer = await fetch("/token", { headers: SCRIPT, signal: AbortSignal.timeout(PATIENCE) });
  if (!answer.ok) return false;
  const fresh = await answer.json();
  isOther = fresh.person !== person;
  if (isOther || fresh.csrf === csrf) return false;
  csrf = fresh.csrf;
  document.body.setAttribute("hx-headers:inherited", JSON.stringify({ "X-CSRF-Token": csrf }));
  for (const field of document.querySelectorAll("input[name=csrf]")) field.value = csrf;
  return true;
}

const outbox = new Outbox(`${person}:${stream}`, async (item) => {
  let answer;
  try {
    answer = await post(item.path, item.body);
  } catch {
    problem = LOST;
    return "later";
  }
  if (answer.status === 401) {
    problem = SIGNED_OUT;
    return "later";
  }
  if (answer.status === 403) {
    problem = isOther ? OTHER : `Refused, ${(await answer.json()).detail}`;
    return "later";
  }
  if (answer.status === 429 || answer.status >= 500) {
    problem = BUSY;
    return "later";
  }
  problem = "";
  if (!answer.ok) {
    announce(`That reply was not taken: ${(await answer.json()).detail}`, true);
    return "never";
  }
  const receipt = await answer.json();
  if (receipt?.counts === false) announce("Somebody else was first: your answer is kept beside theirs.", true);
  document.body.dispatchEvent(new CustomEvent("askance:answered"));
  return "done";
}, () => {
  showWire();
  showEmpty();
  if (!outbox.items().length) refill();
});

function announce(text, isSeen = false) {
  document.getElementById("said").textContent = text;
  if (isSeen) {
    problem = text;
    showWire();
  }
}

function showWire() {
  const waiting = outbox.items().length;
  const wire = document.getElementById("wire");
  const isOff = outbox.isWaiting && waiting > 0;
  wire.classList.toggle("off", isOff || problem !== "");
  if (isOff) {
    wire.textContent = `${problem}. ${waiting === 1 ? "1 reply is" : `${waiting} replies are`} kept here and sent when it works again.`;
  } else {
    wire.textContent = problem;
  }
  wire.dataset.waiting = waiting;
}

// Show the first question that is held, or why there is none.
function show({ focus = false } = {}) {
  const held = questions();
  held.forEach((node, place) => { node.hidden = place > 0; });
  showEmpty();
  buttons.forEach((button) => {
    if (button !== undoButton) button.setAttribute("aria-disabled", String(held.length === 0));
  });
  undoButton.setAttribute("aria-disabled", String(said.length === 0));
  desk.dataset.current = held.length ? held[0].dataset.number : "";
  if (held.length && focus) {
    held[0].focus({ preventScroll: true });
    held[0].closest(".stage").scrollIntoView({ block: "nearest" });
  }
  if (!held.length) {
    clearTimeout(emptyTimer);
    emptyTimer = setTimeout(refill, EMPTY_POLL);
  }
}

// Why there is no question, and whether one will come.
function showEmpty() {
  const empty = document.getElementById("empty");
  empty.hidden = questions().length > 0;
  if (empty.hidden) return;
  const isAway = outbox.isWaiting || TROUBLES.includes(problem);
  const isComing = known !== replies && !isAway;
  const why = stage.querySelector("[data-reason]");
  let reason = isComing ? "" : why?.textContent ?? "";
  if (isAway) reason = outbox.items().length ? "Your last replies have not been sent yet." : "";
  document.getElementById("none").textContent = isComing ? "Fetching the next question…" : "No question waits.";
  document.getElementById("reason").textContent = reason;
  document.getElementById("more").hidden = isComing || !(isAway || why?.hasAttribute("data-more"));
}

// Ask for the questions that are this person's now, once everything they said has arrived.
async function refill() {
  if (refilling || outbox.items().length || document.hidden) return;
  refilling = true;
  const before = replies;
  try {
    const answer = await fetch(`/streams/${stream}/questions`, { headers: SCRIPT, signal: AbortSignal.timeout(PATIENCE) });
    const html = await answer.text();
    if (TROUBLES.includes(problem)) problem = "";
    if (answer.status === 401) problem = SIGNED_OUT;
    else if (!answer.ok) problem = BUSY;
    // What was said meanwhile is not in it, so it is of yesterday.
    else if (replies === before) take(html);
  } catch {
    // The outbox, or the next look, tells when the connection is back.
    problem = LOST;
  } finally {
    refilling = false;
    showWire();
    show();
    if (replies !== before) refill();
  }
}

function take(html) {
  const fresh = document.createElement("template");
  fresh.innerHTML = policy.createHTML(html);
  const why = fresh.content.querySelector("[data-reason]");
  if (why?.dataset.person !== person) {
    problem = OTHER;
    return;
  }
  known = replies;
  const current = questions()[0];
  const theirs = [...fresh.content.querySelectorAll(".question")];
  const mine = new Map(questions().map((node) => [node.dataset.number, node]));
  // What is on the screen stays there, as long as it is still this person's.
  const ordered = theirs.map((node) => mine.get(node.dataset.number) ?? node);
  if (current && ordered.includes(current)) {
    ordered.splice(ordered.indexOf(current), 1);
    ordered.unshift(current);
  }
  const isNew = ordered[0] !== current;
  for (const node of questions()) if (!ordered.includes(node)) node.remove();
  stage.querySelector("[data-reason]")?.remove();
  stage.append(why);
  ordered.forEach((node, place) => {
    if (stage.children[place] !== node) stage.insertBefore(node, stage.children[place] ?? null);
  });
  show({ focus: isNew && !document.querySelector("dialog[open]") });
}

function reply(label) {
  const [current] = questions();
  if (!current) return;
  const id = newId();
  replies += 1;
  said.push({ id, node: current });
  if (said.length > BACK) said.shift();
  current.remove();
  show({ focus: true });
  announce(label === null ? "Skipped." : `Answered ${label}.`);
  outbox.add({ id, path: "/answers", body: { id, number: number(current), label } });
}

function undo() {
  const last = said.pop();
  if (!last) {
    announce("There is nothing to undo.");
    return;
  }
  replies += 1;
  stage.prepend(last.node);
  show({ focus: true });
  announce("Taken back.");
  outbox.add({ id: newId(), path: "/undo", body: { answer: last.id } });
}

function open(name) {
  const dialog = document.getElementById(name);
  if (name === "history") {
    saidBefore.replaceChildren();
    historySaid.textContent = "Fetching what you said…";
    saidBefore.dispatchEvent(new CustomEvent("askance:look"));
  }
  dialog.showModal();
}

const saidBefore = document.getElementById("said-before");
const historySaid = document.getElementById("history-said");
const isChange = (event) => event.detail.ctx.request.method === "POST";
saidBefore.addEventListener("htmx:after:swap", (event) => {
  if (event.detail.ctx.response.status >= 400) return;
  historySaid.textContent = isChange(event) && !saidBefore.querySelector(".fault") ? "Changed." : "";
});
saidBefore.addEventListener("htmx:error", (event) => {
  historySaid.textContent = isChange(event)
    ? "Not changed: that needs the network."
    : "The history needs the network: open it again when there is a connection.";
});
saidBefore.addEventListener("htmx:response:error", (event) => {
  const isOut = event.detail.ctx.response.status === 401;
  const wrong = isOut ? SIGNED_OUT : "The service has a problem: try again in a moment";
  historySaid.textContent = `${isChange(event) ? "Not changed. " : ""}${wrong}.`;
});

const commands = {
  skip: () => reply(null),
  undo,
  guidelines: () => open("guidelines"),
  history: () => open("history"),
  help: () => open("help"),
};
const commandKeys = { s: "skip", u: "undo", g: "guidelines", h: "history", "?": "help" };

for (const button of desk.querySelectorAll("[data-label]")) {
  button.addEventListener("click", () => reply(button.dataset.label));
}
for (const button of desk.querySelectorAll("[data-command]")) {
  button.addEventListener("click", () => commands[button.dataset.command]());
}

const singleKeys = document.getElementById("single-keys");
singleKeys.checked = localStorage.getItem("askance-single-keys") !== "off";
singleKeys.addEventListener("change", () => {
  localStorage.setItem("askance-single-keys", singleKeys.checked ? "on" : "off");
});

addEventListener("keydown", (event) => {
  lastTouch = Date.now();
  const isElsewhere = event.target.closest?.("input, textarea, select, dialog[open]");
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isElsewhere) return;
  if (!singleKeys.checked) return;
  const key = event.key.toLowerCase();
  const choice = desk.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (choice) {
    event.preventDefault();
    reply(choice.dataset.label);
  } else if (commandKeys[key]) {
    event.preventDefault();
    commands[commandKeys[key]]();
  }
});
addEventListener("pointerdown", () => { lastTouch = Date.now(); });
document.addEventListener("visibilitychange", () => {
  // Somebody comes back, who may have signed in again meanwhile.
  if (!document.hidden) outbox.flush();
  refill();
});
addEventListener("online", refill);

// A person who is here keeps their questions; nothing is kept for one who has left.
setInterval(() => {
  const held = questions().map(number);
  if (document.hidden || !held.length || Date.now() - lastTouch > AWAY) return;
  post("/questions/heartbeat", held).catch(() => {});
}, Math.max(1, Number(desk.dataset.lease) / 3) * 1000);

show({ focus: true });
showWire();
outbox.flush();
