// @ts-check
// Sitting down from any page: those pages are the same for all readers, so they hold no token of
// one's own; it is fetched when somebody wants to play. Without scripts the links lead to the form.

const CHOOSE = "/play";

/** The token of the form for a new table. */
async function fetchToken() {
  const page = new DOMParser().parseFromString(await (await fetch(CHOOSE)).text(), "text/html");
  const field = /** @type {HTMLInputElement | null} */ (page.querySelector("form[data-play] input[name=csrf]"));
  return field?.value ?? "";
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = "csrf";
  field.value = await fetchToken();
  form.append(field);
  form.submit();
}

/** @type {NodeListOf<HTMLAnchorElement>} */
const links = document.querySelectorAll("a[data-quick]");
for (const link of links) {
  link.addEventListener("click", (event) => {
    // Whoever wants a new tab gets the form in it.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    link.setAttribute("aria-busy", "true");
    const form = document.createElement("form");
    form.method = "post";
    form.action = link.dataset.quick ?? "";
    form.hidden = true;
    document.body.append(form);
    send(form).catch(() => location.assign(link.href));
  });
}

/** @type {NodeListOf<HTMLFormElement>} */
const forms = document.querySelectorAll("form[data-tokened]");
for (const form of forms) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form).catch(() => location.assign(CHOOSE));
  });
}

export {};
