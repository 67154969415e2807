"""What a browser sees: the weight of whole pages, and how smoothly the viewer moves."""

import shutil
from typing import Any

PAGES = (
    "/",
    "/seasons/spring",
    "/bots/heron/close",
    "/matches/1",
    "/matches/1/games/0/0",
    "/live",
)
FRAMES = """
async (seconds) => {
  const times = [];
  await new Promise((done) => {
    const begin = performance.now();
    const tick = (now) => {
      times.push(now);
      if (now - begin < seconds * 1000) requestAnimationFrame(tick);
      else done();
    };
    requestAnimationFrame(tick);
  });
  return times.slice(1).map((now, at) => now - times[at]);
}
"""


def find_chromium() -> str | None:
    """The program, if there is one."""
    return shutil.which("chromium") or shutil.which("google-chrome")


def measure(port: int, seconds: float = 6.0) -> dict[str, Any]:
    """KiB over the wire of each page, images left out, and frames of a replay that is playing."""
    from playwright.sync_api import sync_playwright

    base = f"http://127.0.0.1:{port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        weights = {path: _weight(browser, base + path) for path in PAGES}
        frames = {
            f"speed {speed}": _frames(browser, f"{base}/matches/1/games/0/0?speed={speed}", seconds)
            for speed in (1, 8)
        }
        browser.close()
    return {"weights": weights, "frames": frames}


def _weight(browser: Any, address: str) -> float:
    context = browser.new_context()
    page = context.new_page()
    sizes: list[int] = []

    def note(request: Any) -> None:
        if request.resource_type != "image":
            sizes.append(request.sizes()["responseBodySize"])

    page.on("requestfinished", note)
    page.goto(address, wait_until="load")
    page.wait_for_timeout(500)
    context.close()
    return sum(sizes) / 1024


def _frames(browser: Any, address: str, seconds: float) -> dict[str, float]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address)
    page.locator(".felt").wait_for()
    page.keyboard.press("Space")
    gaps = sorted(page.evaluate(FRAMES, seconds))
    context.close()
    return {
        "per_s": 1000 * len(gaps) / sum(gaps),
        "p95_ms": gaps[int(0.95 * len(gaps))],
        "worst_ms": gaps[-1],
    }


def report(found: dict[str, Any]) -> None:
    """Pages and frames on the terminal."""
    print("\nin Chromium: KiB of a whole page over the wire, images left out")
    for path, kib in found["weights"].items():
        print(f"{path:44} {kib:8.1f}")
    for speed, row in found["frames"].items():
        print(f"replay at {speed}: {row['per_s']:.0f} frames/s, p95 {row['p95_ms']:.1f} ms, "
              f"worst {row['worst_ms']:.0f} ms")  # fmt: skip
