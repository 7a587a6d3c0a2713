// What every page does for somebody who is signed in: say when the figures cannot be renewed. What a
// server says that fails is not shown in their place.

const trouble = document.getElementById("trouble");

function show(text, link) {
  if (trouble.textContent === text && !trouble.hidden) return;
  trouble.hidden = !text;
  trouble.replaceChildren(text);
  if (link) trouble.append(" ", link);
}

function signIn() {
  const link = Object.assign(document.createElement("a"), { href: "/sign-in", textContent: "Sign in again" });
  // Replies that wait to be sent stay on the page.
  if (document.getElementById("questions")) Object.assign(link, { target: "_blank", rel: "noopener" });
  return link;
}

// A dialog tells its own troubles: what is behind it cannot be read.
const isBehind = (event) => Boolean(event.target.closest?.("dialog"));

document.addEventListener("htmx:error", (event) => {
  if (event.detail.ctx && !isBehind(event)) show("Cannot reach the service; trying again.");
});
document.addEventListener("htmx:response:error", (event) => {
  if (isBehind(event)) return;
  if (event.detail.ctx.response.status === 401) show("You are signed out.", signIn());
  else show("The service has a problem; trying again.");
});
document.addEventListener("htmx:after:swap", (event) => {
  if (event.detail.ctx.response?.status < 400) show("");
});

// What a form has done is said once, not again when the page is loaded again.
if (document.querySelector("[data-once]")) history.replaceState(null, "", location.pathname);
