"""A real browser and a real server: what the story's test and the pictures of the docs share."""

from __future__ import annotations

import base64
import contextlib
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Iterator

from commands import REX, ROOT, environment

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
WAIT_S = 60


def why_no_browser() -> str:
    """Why no page can be tried in a browser here; "" if it can."""
    try:
        import selenium   # noqa: F401
    except ImportError:
        return "selenium is not installed"
    return "" if CHROMIUM and DRIVER else "no chromium is installed (Debian: chromium, chromium-driver)"


@contextlib.contextmanager
def served(cwd: Path, *args: str, command: str = "runnew") -> Iterator[tuple[str, list[str]]]:
    """`rex runnew`, or `rex ui`, with these arguments: the address that it prints, and all lines before."""
    server = subprocess.Popen([*REX, command, "--no-browser", *args], cwd=cwd, text=True,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=environment())
    assert server.stderr
    try:
        lines = []
        for line in server.stderr:
            lines.append(line)
            if "http://" in line:
                break
        else:
            raise AssertionError("".join(lines))
        yield lines[-1].split()[-1], lines
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        server.stderr.close()


class Page:
    """A tab of a headless Chromium, used as a person would: by what is seen."""

    def __init__(self, width: int = 1280, height: int = 860, scale: float = 1) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM or ""
        for each in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--no-first-run", "--disable-background-networking", f"--window-size={width},{height}"):
            options.add_argument(each)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver: Any = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        self.driver.quit()

    def open(self, address: str) -> None:
        """Go to an address; with a token the page behind it."""
        self.driver.get(address)
        if "token=" in address:
            self.until(lambda: "token=" not in self.driver.current_url)

    def begin(self, address: str, experiment: str) -> None:
        """Go to the form of an experiment, with nothing changed yet."""
        self.open(address)
        self.do("sessionStorage.clear()")
        self.open(f"{address.split('?')[0]}?from={experiment}")
        self.says("Nothing is changed yet", "#summary")

    def until(self, is_so: Callable[[], Any], what: str = "") -> Any:
        """Wait until something is so; what it was that made it so."""
        from selenium.common.exceptions import StaleElementReferenceException
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            with contextlib.suppress(StaleElementReferenceException):
                if found := is_so():
                    return found
            time.sleep(0.03)
        raise AssertionError(f"waited in vain {what}:\n{self.text('body')}")

    def all(self, selector: str) -> list[Any]:
        """The elements that a selector finds."""
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def get(self, selector: str) -> Any:
        """The visible element that a selector finds, as soon as it is there."""
        return self.until(lambda: next((each for each in self.all(selector) if each.is_displayed()), None), selector)

    def text(self, selector: str) -> str:
        """The visible text of an element; "" where there is none yet."""
        return "".join([each.text for each in self.all(selector)[:1]])

    def click(self, selector: str) -> None:
        """Click on it, in the middle of the window, where nothing lies above it."""
        self.press(lambda: self.all(selector), selector)

    def press(self, find: Callable[[], list[Any]], what: str) -> None:
        """Click on the first visible one of what is found; find it anew where the page was drawn anew meanwhile."""
        def press() -> bool:
            for each in find():
                if each.is_displayed():
                    self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", each)
                    each.click()
                    return True
            return False
        self.until(press, what)

    def hover(self, selector: str) -> None:
        """Put the pointer on it."""
        from selenium.webdriver import ActionChains
        ActionChains(self.driver).move_to_element(self.get(selector)).perform()

    def follow(self, name: str) -> None:
        """Click on the experiment of this name in the table of experiments."""
        self.press(lambda: [each for each in self.all(".window th a") if each.text == name], name)

    def type(self, selector: str, text: str, is_cleared: bool = True) -> None:
        """Type into a field."""
        field = self.get(selector)
        if is_cleared:
            field.clear()
        field.send_keys(text)

    def says(self, text: str, selector: str = "body") -> None:
        """Wait until an element shows a text."""
        self.until(lambda: text in self.text(selector), f"for {text!r}")

    def do(self, script: str) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script)

    def complaints(self) -> list[str]:
        """Errors on the console, refused requests aside: those are told on the page."""
        return [each["message"] for each in self.driver.get_log("browser")
                if each["level"] == "SEVERE" and "status of 400" not in each["message"]]

    def dark(self, is_dark: bool) -> None:
        """Night or day."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]})

    def picture(self, path: Path, height: int = 0) -> None:
        """Write a picture of the window, or of the page's upper part."""
        clip = {"clip": {"x": 0, "y": 0, "width": self.do("return innerWidth"), "height": height, "scale": 1},
                "captureBeyondViewport": True} if height else {}
        made = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", **clip})
        path.write_bytes(base64.b64decode(made["data"]))


def lay_out(folder: Path) -> None:
    """The example of a search in the manner of BLAST, with its inputs."""
    shutil.copytree(ROOT / "examples" / "blast", folder)
    subprocess.run(["./inputs"], cwd=folder, check=True)


def part(name: str) -> str:
    """Selector of a program of the form."""
    return f'.programs [data-name="{name}"]'
