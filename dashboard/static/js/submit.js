// @ts-check
// The submit form: drop a file on it, see how far the upload is. Without this it is a plain form.

/**
 * A part of the form that must be there.
 * @template {HTMLElement} T
 * @param {HTMLElement} element
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T}
 */
function part(element, selector, kind) {
  const found = element.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the form has no ${selector}`);
  return found;
}

/** @param {number} bytes */
function words(bytes) {
  return bytes < 1048576 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1048576).toFixed(1)} MiB`;
}

/** @param {HTMLFormElement} form */
function prepare(form) {
  const drop = part(form, "[data-drop]", HTMLElement);
  const input = part(form, "input[type=file]", HTMLInputElement);
  const text = part(form, "[data-drop-text]", HTMLElement);
  const plain = text.textContent;
  const limit = Number(form.dataset.limit);

  function showFile() {
    const file = input.files?.[0];
    text.textContent = file ? `${file.name}, ${words(file.size)}` : plain;
    const large = file !== undefined && file.size > limit;
    text.classList.toggle("bad", large);
    if (large) text.textContent += `: larger than ${words(limit)}`;
  }
  input.addEventListener("change", showFile);
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) {
    drop.addEventListener(name, () => drop.classList.remove("over"));
  }
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer?.files.length) {
      input.files = event.dataTransfer.files;
      showFile();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}

/** @param {HTMLFormElement} form */
function send(form) {
  const line = part(form, "[data-progress]", HTMLElement);
  const bar = part(line, "progress", HTMLProgressElement);
  const said = part(line, "[data-progress-text]", HTMLElement);
  const error = part(form, "[data-upload-error]", HTMLElement);
  const button = part(form, "button[type=submit]", HTMLButtonElement);
  const request = new XMLHttpRequest();

  /** @param {string} message */
  function fail(message) {
    error.textContent = message;
    error.hidden = false;
    line.hidden = true;
    button.disabled = false;
  }
  error.hidden = true;
  line.hidden = false;
  button.disabled = true;
  request.upload.addEventListener("progress", (event) => {
    if (!event.lengthComputable) return;
    bar.value = event.loaded / event.total;
    said.textContent = `${words(event.loaded)} of ${words(event.total)}`;
  });
  request.addEventListener("load", () => {
    if (request.status === 201) location.assign(JSON.parse(request.responseText).location);
    else {
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      fail(page.querySelector(".problem .lead")?.textContent ?? `It failed (${request.status}).`);
    }
  });
  request.addEventListener("error", () => fail("The connection was lost. Try again."));
  request.open("POST", form.action);
  request.setRequestHeader("accept", "application/json");
  request.send(new FormData(form));
}

const form = document.querySelector("[data-upload]");
if (form instanceof HTMLFormElement) prepare(form);
