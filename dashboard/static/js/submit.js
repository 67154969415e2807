// The submit form: drop a file on it, see how far the upload is. Without this it is a plain form.

const form = document.querySelector("[data-upload]");

function words(bytes) {
  return bytes < 1048576 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1048576).toFixed(1)} MiB`;
}

function prepare(form) {
  const drop = form.querySelector("[data-drop]");
  const input = form.querySelector("input[type=file]");
  const text = form.querySelector("[data-drop-text]");
  const plain = text.textContent;
  const limit = Number(form.dataset.limit);

  function showFile() {
    const file = input.files[0];
    text.textContent = file ? `${file.name}, ${words(file.size)}` : plain;
    text.classList.toggle("bad", Boolean(file) && file.size > limit);
    if (file && file.size > limit) text.textContent += `: larger than ${words(limit)}`;
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
    if (event.dataTransfer.files.length) {
      input.files = event.dataTransfer.files;
      showFile();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}

function send(form) {
  const line = form.querySelector("[data-progress]");
  const bar = line.querySelector("progress");
  const said = line.querySelector("[data-progress-text]");
  const error = form.querySelector("[data-upload-error]");
  const button = form.querySelector("button[type=submit]");
  const request = new XMLHttpRequest();

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

if (form) prepare(form);
