"""Chromium without a window, for tests of pages; a reason where it cannot be had."""

import contextlib
import json
import shutil
import tempfile

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
)


def lacking():
    """Why there is no browser, or None."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed: pip install 'cliquewise[browser]'"
    programs = {"a Chromium": _chromium(), "chromedriver": shutil.which("chromedriver")}
    return next((f"{name} is not installed" for name, path in programs.items() if path is None), None)


def _chromium():
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((path for path in map(shutil.which, names) if path), None)


@contextlib.contextmanager
def browser():
    """A selenium driver of Chromium that logs its console and what it requests; it ends with the block."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = _chromium()
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for flag in (*FLAGS, f"--user-data-dir={folder}/profile"):
            options.add_argument(flag)
        options.add_experimental_option("prefs", {"download.default_directory": f"{folder}/saved"})
        driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
        try:
            yield driver
        finally:
            driver.quit()


def resize(driver, width, height, dark=False):
    """Give the page a size in pixels, and say whether the reader wants it dark."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen", "features": scheme})


def requested(driver):
    """The addresses that the page has asked for since the last call, without data: and blob:."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return [url for url in urls if not url.startswith(("data:", "blob:"))]


def click(driver, where):
    driver.find_element("css selector", where).click()


def shown(driver, where):
    return driver.find_element("css selector", where).text


def press(driver, *keys):
    from selenium.webdriver import ActionChains, Keys

    for key in keys:
        chain = ActionChains(driver)
        *held, last = key.split("+") if len(key) > 1 else [key]
        for word in held:
            chain.key_down(getattr(Keys, word.upper()))
        chain.send_keys(getattr(Keys, last.upper(), last))
        for word in held:
            chain.key_up(getattr(Keys, word.upper()))
        chain.perform()


def drag(driver, element, start, end):
    """Press on an element at a share of its width, and let go at another."""
    from selenium.webdriver import ActionChains

    wide = element.size["width"]
    chain = ActionChains(driver, duration=20).move_to_element_with_offset(element, round((start - 0.5) * wide), 0)
    chain.click_and_hold().move_by_offset(round((end - start) * wide / 2), 1).move_by_offset(
        round((end - start) * wide / 2), 0
    )
    chain.release().perform()
