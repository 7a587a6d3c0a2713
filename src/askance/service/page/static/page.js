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

// The server would end the connection before a page could say so.
const file = document.querySelector("input[type=file][data-most]");
file?.addEventListener("change", () => {
  const megabytes = (file.files[0]?.size ?? 0) / 2 ** 20;
  const isTooLarge = megabytes > Number(file.dataset.most) - 0.01; // the form around it counts too
  file.setCustomValidity(isTooLarge ? `The file has ${megabytes.toFixed(1)} MB; it may have ${file.dataset.most} MB.` : "");
  file.reportValidity();
});

// What a form has done is said once, not again when the page is loaded again.
if (document.querySelector("[data-once]")) history.replaceState(null, "", location.pathname);
