// @ts-check
// The submit form: drop a file or a folder on it, see how far the upload is. Without this it is a
// plain form.

import { chosen, dropped, packed } from "./folder.js";

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
  /** @param {File} file */
  function take(file) {
    const one = new DataTransfer();
    one.items.add(file);
    input.files = one.files;
    showFile();
  }

  /** @param {string} name @param {() => Promise<import("./folder.js").Found[]>} find */
  async function takeFolder(name, find) {
    text.classList.remove("bad");
    text.textContent = `Packing ${name} …`;
    try {
      const found = await find();
      if (!found.some((one) => one.name === "Dockerfile")) {
        throw new Error(`${name} has no Dockerfile at its top`);
      }
      take(await packed(found, name));
      part(form, "input[value=build_context]", HTMLInputElement).checked = true;
      text.textContent += `, packed from ${found.length} ${found.length === 1 ? "file" : "files"}`;
    } catch (error) {
      input.value = "";
      text.textContent = error instanceof Error ? `${error.message}.` : `${name} cannot be read.`;
      text.classList.add("bad");
    }
  }
  input.addEventListener("change", showFile);
  const whole = part(form, "[data-folder]", HTMLInputElement);
  part(form, "[data-folder-part]", HTMLElement).hidden = false;
  whole.addEventListener("change", () => {
    const files = [...(whole.files ?? [])];
    const name = files[0]?.webkitRelativePath.split("/")[0];
    if (name) takeFolder(name, async () => chosen(files));
  });
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
    const entry = event.dataTransfer?.items[0]?.webkitGetAsEntry();
    if (entry?.isDirectory) {
      takeFolder(entry.name, () => dropped(/** @type {FileSystemDirectoryEntry} */ (entry)));
    } else if (event.dataTransfer?.files.length) take(event.dataTransfer.files[0]);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
  // Whoever is quick, or comes back to a form the browser kept, has chosen a file before this ran.
  if (input.files?.length) showFile();
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
