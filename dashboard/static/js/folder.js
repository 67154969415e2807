// @ts-check
// A folder from the reader's disk as a tar file, without what no bot needs. Nothing leaves the page.

/** Caches and the like, wherever they lie; as `bullring submit` leaves them out. */
const LEFT_OUT = new Set([
  ".git", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv", "__pycache__",
  "build", "node_modules", ".DS_Store",
]);
const BLOCK = 512;
const NAME_BYTES = 100;
const encoder = new TextEncoder();

/** @typedef {{name: string, file: File}} Found */

/** @param {string} path */
function wanted(path) {
  return !path.split("/").some((part) => LEFT_OUT.has(part));
}

/**
 * The files of a chosen folder, by their paths in it.
 * @param {Iterable<File>} files
 * @returns {Found[]}
 */
export function chosen(files) {
  return [...files]
    .map((file) => ({ name: file.webkitRelativePath.split("/").slice(1).join("/"), file }))
    .filter(({ name }) => wanted(name));
}

/**
 * The files of a dropped folder.
 * @param {FileSystemDirectoryEntry} folder
 * @returns {Promise<Found[]>}
 */
export async function dropped(folder) {
  /** @type {Found[]} */
  const found = [];
  /** @param {FileSystemDirectoryEntry} entry @param {string} above */
  async function walk(entry, above) {
    const reader = entry.createReader();
    for (;;) {
      /** @type {FileSystemEntry[]} */
      const some = await new Promise((done, fail) => reader.readEntries(done, fail));
      // It gives a hundred at a time, and none when there are no more.
      if (!some.length) return;
      for (const one of some) {
        const name = above + one.name;
        if (!wanted(name)) continue;
        if (one.isDirectory) await walk(/** @type {FileSystemDirectoryEntry} */ (one), `${name}/`);
        else {
          const file = /** @type {FileSystemFileEntry} */ (one);
          found.push({ name, file: await new Promise((done, fail) => file.file(done, fail)) });
        }
      }
    }
  }
  await walk(folder, "");
  return found;
}

/**
 * The header of one entry.
 * @param {Uint8Array} name
 * @param {number} size
 * @param {number} mode
 * @param {string} kind
 */
function header(name, size, mode, kind) {
  const block = new Uint8Array(BLOCK);
  /** @param {number} at @param {string} text */
  const put = (at, text) => block.set(encoder.encode(text), at);
  /** @param {number} at @param {number} value @param {number} digits */
  const octal = (at, value, digits) => put(at, value.toString(8).padStart(digits, "0"));
  block.set(name.subarray(0, NAME_BYTES), 0);
  octal(100, mode, 7);
  octal(108, 0, 7);
  octal(116, 0, 7);
  octal(124, size, 11);
  octal(136, 0, 11);
  put(148, " ".repeat(8));
  put(156, kind);
  put(257, "ustar\u000000");
  octal(148, block.reduce((sum, byte) => sum + byte, 0), 6);
  put(154, "\u0000 ");
  return block;
}

/** @param {number} size */
function padding(size) {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

/**
 * All files as a tar, sorted, so that the same folder gives the same bytes.
 * @param {Found[]} found
 * @param {string} name
 */
export async function packed(found, name) {
  /** @type {BlobPart[]} */
  const parts = [];
  for (const { name: path, file } of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const bytes = encoder.encode(path);
    if (bytes.length > NAME_BYTES) {
      const whole = new Uint8Array([...bytes, 0]);
      parts.push(header(encoder.encode("././@LongLink"), whole.length, 0, "L"), whole);
      parts.push(padding(whole.length));
    }
    const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
    // Browsers do not say who may run a file; scripts and programs say it themselves.
    const runs = (start[0] === 0x23 && start[1] === 0x21) || (start[0] === 0x7f && start[1] === 0x45);
    parts.push(header(bytes, file.size, runs ? 0o755 : 0o644, "0"), file, padding(file.size));
  }
  parts.push(new Uint8Array(BLOCK * 2));
  return new File(parts, `${name}.tar`, { type: "application/x-tar" });
}
