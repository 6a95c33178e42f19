"""The page of a job in a headless browser: python3 page_browser_test.py HYBRID TRACES

Needs Debian's chromium, chromium-driver and python3-selenium.
"""
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import Select, WebDriverWait

HYBRID, TRACES = sys.argv[1], pathlib.Path(sys.argv[2])
HOSTILE = "</script><script>window.hostile = 1</script><img src=x onerror='window.hostile = 2'>\"'&"
CHARTS = ["chart-techniques", "chart-waits", "chart-calls", "chart-slots", "chart-matrix", "chart-time", "chart-ranks", "chart-phases",
          "chart-predictors", "chart-ports", "chart-circuits", "chart-reconfiguration", "chart-planes",
          "chart-predictor-times"]


def hybrid(*arguments):
    return subprocess.run([HYBRID, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.directory.name)
        trace = cls.extract("cg-16")
        hybrid("replay", trace, "--slots", "2,4", "--json", cls.folder / "result.json")
        cls.result = json.loads((cls.folder / "result.json").read_text())
        cls.profile = json.loads(hybrid("profile", trace, "--json", "-"))
        cls.result["job"]["recorded"]["application"] = HOSTILE
        cls.result["phases"][0]["name"] = HOSTILE
        cls.result["verdict"]["sentence"] += HOSTILE
        cls.result["warnings"] = [HOSTILE]
        cls.result["calls"][0]["function"] = HOSTILE
        cls.result["predictors"][0]["predictor"] = "=1+1"
        cls.result["predictors"][1]["predictor"] = "__proto__"
        (cls.folder / "hostile.json").write_text(json.dumps(cls.result))
        cls.page = cls.folder / "page.html"
        hybrid("report", cls.folder / "hostile.json", "-o", cls.page)

        options = webdriver.ChromeOptions()
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                         "--window-size=1200,900"]:
            options.add_argument(argument)
        options.binary_location = "/usr/bin/chromium"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.add_experimental_option("prefs", {"download.default_directory": cls.directory.name})
        cls.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        cls.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": cls.directory.name})

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.directory.cleanup()

    @classmethod
    def extract(cls, trace):
        with tarfile.open(TRACES / f"{trace}.tar.xz") as archive:
            archive.extractall(cls.folder)
        return cls.folder / trace

    def setUp(self):
        self.browser.get(self.page.as_uri())
        self.wait(lambda: self.run_script("return document.documentElement.dataset.ready") == "yes")

    def run_script(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def wait(self, condition):
        WebDriverWait(self.browser, 60, poll_frequency=0.05).until(lambda _: condition())

    def series(self, chart, index=0):
        return self.run_script(
            "return echarts.getInstanceByDom(document.getElementById(arguments[0])).getOption().series[arguments[1]].data", chart, index)

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def download(self, name):
        file = self.folder / f"{name}.csv"
        self.find(f"[data-csv='{name}']").click()
        self.wait(lambda: file.exists() and file.stat().st_size)  # an empty one holds the name during the download
        return list(csv.reader(file.read_text().splitlines()))

    def test_every_chart_is_drawn_without_an_error(self):
        for chart in CHARTS:
            box = self.find(f"#{chart}")
            self.assertTrue(box.find_elements(By.TAG_NAME, "canvas"), chart)
            self.assertTrue(box.get_attribute("aria-label"), chart)
        self.assertEqual(self.browser.get_log("browser"), [])
        self.assertEqual(self.run_script("return performance.getEntriesByType('resource').length"), 0)

    def test_techniques_have_the_values_of_the_result(self):
        results = self.result["results"]
        self.assertEqual(self.series("chart-techniques"), [r["time_ns"] for r in results])
        lines = self.run_script("return echarts.getInstanceByDom(document.getElementById('chart-techniques')).getOption().series[0].markLine.data")
        bounds = self.result["bounds"]
        self.assertEqual([line["xAxis"] for line in lines], [bounds[f"{name}_ns"] for name in ["no_network", "uncontended", "ideal"]])
        self.assertTrue(all(time >= bounds["uncontended_ns"] for time in self.series("chart-techniques")))
        rows = [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")]
                for row in self.browser.find_elements(By.CSS_SELECTOR, "#table-techniques tbody tr")]
        self.assertEqual([row[0] for row in rows], [r["technique"] for r in results] + ["no-network", "uncontended", "ideal"])
        self.assertEqual([row[9] for row in rows], [f"{r['hit_rate'] * 100:.1f} %" for r in results] + ["-"] * 3)
        self.assertEqual([float(row[2]) for row in self.download("techniques")[1:]],
                         [r["time_ns"] for r in results] + [bounds[f"{name}_ns"] for name in ["no_network", "uncontended", "ideal"]])
        for index, part in enumerate(results[0]["network_wait_parts_ns"]):
            self.assertEqual(self.series("chart-waits", index), [r["network_wait_parts_ns"][part] for r in results])
        for index, result in enumerate(results):
            self.assertEqual(self.series("chart-calls", index), result["call_waits_ns"][:15])
        by_waiting = self.download("calls")
        self.assertEqual(by_waiting[0][4:], ["messages", "bytes", "technique", "slots", "call_wait_ns"])
        kinds = len(results) + 1  # the last one without a network
        self.assertEqual([int(row[4]) for row in by_waiting[1::kinds]], [call["messages"] for call in self.result["calls"]])
        self.assertEqual([float(row[8]) for row in by_waiting[1::kinds]], results[0]["call_waits_ns"])
        Select(self.find("#calls select")).select_by_visible_text("by bytes")
        order = sorted(range(len(self.result["calls"])), key=lambda i: -self.result["calls"][i]["bytes"])
        self.assertEqual(self.series("chart-calls", 0), [results[0]["call_waits_ns"][i] for i in order[:15]])
        tdm = [r["time_ns"] for r in results if r["technique"] == "tdm"]
        self.assertEqual(self.series("chart-slots", 0), tdm)

    def test_the_verdict_states_what_it_depends_on(self):
        lines = [line.text for line in self.browser.find_elements(By.CSS_SELECTOR, "#verdict-changes li")]
        worms = self.result["verdict"]["with_long_worms"]
        self.assertEqual(sum(line.startswith("Worm limit: with 4 KiB") for line in lines), 1 if worms else 0)
        for technique in ["tdm", "hybrid"]:
            of = [r for r in self.result["results"] if r["technique"] == technique]
            enough = min(r["slots"] for r in of if r["time_ns"] <= 1.01 * min(o["time_ns"] for o in of))
            self.assertIn(f"Slots: K = {enough} is enough for {technique}: ", "\n".join(lines))
        wormhole = next(r["time_ns"] for r in self.result["results"] if r["technique"] == "wormhole")
        faster = [any(t is not None and t < wormhole for t in column)
                  for column in zip(*(self.series("chart-reconfiguration", i) for i in range(3)))]
        names = ["0 s", "10 ns", "100 ns", "1 us", "10 us", "100 us", "1 ms"]
        expected = f"faster than wormhole up to {names[max(i for i, f in enumerate(faster) if f)]} " if any(faster) else "whatever it takes"
        self.assertIn(expected, "\n".join(lines))

    def test_the_matrix_has_the_traffic_of_each_operation(self):
        expected = {(c["source"], c["destination"]): c["bytes"] for c in self.profile["connections"]}
        self.assertEqual({(c["value"][1], c["value"][0]): c["value"][2] for c in self.series("chart-matrix")}, expected)
        selects = self.browser.find_elements(By.CSS_SELECTOR, "#matrix select")
        Select(selects[1]).select_by_visible_text("point-to-point")
        Select(selects[2]).select_by_visible_text("messages")
        expected = sum(o["messages"] for o in self.profile["operations"] if o["operation"] == "point-to-point")
        self.assertEqual(sum(c["value"][2] for c in self.series("chart-matrix")), expected)
        Select(selects[1]).select_by_visible_text("all collectives")
        Select(selects[2]).select_by_visible_text("bytes")
        expected = sum(o["bytes"] for o in self.profile["operations"] if o["operation"] not in ["point-to-point", "one-sided"])
        self.assertEqual(sum(c["value"][2] for c in self.series("chart-matrix")), expected)
        # The table follows the choice.
        details = self.find("#matrix details")
        details.find_element(By.TAG_NAME, "summary").click()
        rows = lambda: len(details.find_elements(By.CSS_SELECTOR, "tbody tr"))
        self.wait(lambda: rows() == len(self.series("chart-matrix")))
        Select(selects[1]).select_by_visible_text("point-to-point")
        self.assertEqual(rows(), len(self.series("chart-matrix")))
        by_time = sum(map(sum, (self.series("chart-time", i) for i in range(len(self.profile["operations"])))))
        self.assertEqual(by_time, sum(o["bytes"] for o in self.profile["operations"]))

    def test_the_switch_over_time_is_that_of_the_hybrid_result(self):
        hybrids = [r for r in self.result["results"] if r["technique"] == "hybrid"]
        best = min(hybrids, key=lambda r: r["time_ns"])
        cells = self.series("chart-ports")
        mean = sum(c[2] for c in cells) / (200 * best["nodes"])
        self.assertAlmostEqual(mean, best["utilisation"], delta=0.01 * best["utilisation"])
        for row, begin, end, destination, circuits in (c["value"] for c in self.series("chart-circuits")):
            self.assertNotEqual(row, destination)
            self.assertLess(begin, end)
        rows = self.download("slot-chart")
        self.assertEqual({int(row[0]) for row in rows[1:]}, set(range(best["slots"])))
        # Without reconfiguration the job takes as long as in the result, which has none.
        self.assertEqual([self.series("chart-reconfiguration", i)[0] for i in range(3)],
                         [min(r["time_ns"] for r in self.result["results"] if r["technique"] == t)
                          for t in ["circuit", "tdm", "hybrid"]])

    def test_hovering_shows_values_and_definitions(self):
        self.run_script("""
            const box = document.getElementById("chart-techniques");
            box.scrollIntoView();
            echarts.getInstanceByDom(box).on("mouseover", (event) => window.hovered = event.value);""")
        box = self.find("#chart-techniques")
        ActionChains(self.browser).move_to_element_with_offset(box, -box.size["width"] // 4, -120).perform()
        self.wait(lambda: self.run_script("return window.hovered") == self.result["results"][0]["time_ns"])
        term = self.find(".term[data-term='working set']")
        self.run_script("arguments[0].scrollIntoView()", term)
        ActionChains(self.browser).move_to_element(term).perform()
        self.assertIn("The connections that a phase uses", self.find("#tip").text)
        self.assertIn("D 5.1", self.find("#tip").text)
        heading = self.find("#table-phases th .term[data-term='occurrences']")
        self.run_script("arguments[0].scrollIntoView()", heading)
        ActionChains(self.browser).move_to_element(heading).perform()
        self.assertIn("How often the phase occurs", self.find("#tip").text)
        # Other ranks are a part of the wait on request, since they may be most of it.
        names = lambda: self.run_script("return echarts.getInstanceByDom(document.getElementById('chart-waits')).getOption().series.map((s) => s.name)")
        self.assertNotIn("other ranks", names())
        Select(self.find("#waits select")).select_by_visible_text("shown")
        self.assertEqual(self.series("chart-waits", names().index("other ranks"))[0], self.result["results"][0]["rank_wait_ns"])
        # A legend is drawn: its tooltip has the definition.
        self.assertIn("waits for a slot of its connection", self.run_script("""
            const legend = echarts.getInstanceByDom(document.getElementById("chart-waits")).getOption().legend[0];
            return legend.tooltip.formatter({name: "slot wait"}).replaceAll("\\n", " ");"""))

    def test_the_data_of_a_chart_can_be_downloaded(self):
        rows = self.download("matrix")
        self.assertEqual(rows[0], ["source", "destination", "messages", "bytes"])
        self.assertEqual(sum(int(row[3]) for row in rows[1:]), sum(c["bytes"] for c in self.profile["connections"]))
        self.assertEqual(self.download("predictors")[1][0], "'=1+1", "a spreadsheet must not calculate it")

    def test_the_keyboard_reaches_everything(self):
        self.run_script("""
            window.reached = [];
            document.addEventListener("focusin", ({target}) =>
              window.reached.push(target.id || target.dataset.csv || ""));""")
        count = len(self.browser.find_elements(By.CSS_SELECTOR, "button, select, summary, [tabindex='0']"))
        self.find("body").send_keys(Keys.TAB * (count + 5))
        reached = set(self.run_script("return window.reached"))
        for expected in ["theme", "techniques", "matrix", "parameters", *CHARTS]:
            self.assertIn(expected, reached)
        results = self.result["results"]
        self.find("#chart-techniques").send_keys(Keys.ARROW_DOWN)
        self.assertIn(results[0]["technique"], self.find("#techniques .spoken").get_attribute("textContent"))
        # Left and right move over the techniques, up and down over the causes.
        self.find("#chart-waits").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        spoken = self.find("#waits .spoken").get_attribute("textContent")
        self.assertTrue(spoken.startswith(results[1]["technique"]) and ", contention: " in spoken, spoken)
        zoom = lambda: self.run_script("return echarts.getInstanceByDom(document.getElementById('chart-matrix')).getOption().dataZoom.map((z) => z.end - z.start)")
        self.assertEqual(zoom(), [100, 100])
        self.find("#chart-matrix").send_keys("+")
        self.assertEqual(zoom(), [50, 50])
        start = lambda: self.run_script("return echarts.getInstanceByDom(document.getElementById('chart-matrix')).getOption().dataZoom.map((z) => z.start)")
        self.assertEqual(start(), [25, 25])
        self.find("#chart-matrix").send_keys(Keys.SHIFT, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_UP, Keys.NULL)
        self.assertEqual(start(), [37.5, 0])
        self.find("#chart-matrix").send_keys("-")
        self.assertEqual(zoom(), [100, 100])
        # The zoom keeps the selected cell in view, and a selection moves the view.
        cell = lambda i: [100 * (v + 0.5) / self.result["job"]["ranks"] for v in self.series("chart-matrix")[i]["value"][:2]]
        self.find("#chart-matrix").send_keys(Keys.ARROW_RIGHT, "+", "+", "+")
        for at, first in zip(cell(0), start()):
            self.assertTrue(first <= at <= first + 12.5, (at, first))
        self.find("#chart-matrix").send_keys(Keys.ARROW_LEFT)
        for at, first in zip(cell(-1), start()):
            self.assertTrue(first <= at <= first + 12.5, (at, first))
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_the_page_follows_the_colour_scheme(self):
        colour = "return getComputedStyle(document.body).backgroundColor"
        emulate = lambda scheme: self.browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        text = "return echarts.getInstanceByDom(document.getElementById('chart-time')).getOption().textStyle.color"
        emulate("light")
        light, light_text = self.run_script(colour), self.run_script(text)
        emulate("dark")
        self.wait(lambda: self.run_script(text) != light_text)
        self.assertNotEqual(self.run_script(colour), light)
        self.find("#theme").click()
        self.assertEqual(self.run_script(colour), light)
        self.setUp()
        self.assertEqual(self.run_script(colour), light, "the choice is kept")
        self.run_script("localStorage.clear()")
        emulate("")

    def test_labels_of_an_axis_differ(self):
        for chart in ["chart-techniques", "chart-slots", "chart-reconfiguration", "chart-predictor-times", "chart-time"]:
            labels = self.run_script("""
                const model = echarts.getInstanceByDom(document.getElementById(arguments[0])).getModel(), found = [];
                for (const axis of ["xAxis", "yAxis"])
                  model.eachComponent(axis, (one) => {
                    if (one.axis.type === "value") found.push(one.axis.getViewLabels().map((label) => label.formattedLabel));
                  });
                return found;""", chart)
            for of_axis in labels:
                self.assertGreater(len(of_axis), 1, chart)
                self.assertEqual(len(of_axis), len(set(of_axis)), f"{chart}: {of_axis}")

    def test_names_cannot_inject_markup_or_script(self):
        self.assertEqual(self.run_script("return Object.keys(Object.prototype)"), [])
        self.assertIsNone(self.run_script("return window.hostile ?? null"))
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "img"), [])
        self.assertEqual(len(self.browser.find_elements(By.TAG_NAME, "script")), 3)
        self.assertIn(HOSTILE, self.find("#verdict").text)
        self.assertIn(HOSTILE, self.find("#table-phases").text)
        self.assertIn(HOSTILE, self.find("#table-calls").text)
        # The policy holds even for markup that reaches the document.
        self.run_script("""
            document.body.append(Object.assign(document.createElement("script"), { textContent: "window.hostile = 3" }));
            document.body.insertAdjacentHTML("beforeend", "<b onclick='window.hostile = 4' id='bad'>x</b>");
            document.getElementById("bad").click();""")
        self.assertIsNone(self.run_script("return window.hostile ?? null"))
        self.browser.get_log("browser")  # has the refusals

    def test_a_job_without_messages_has_no_empty_charts(self):
        silent = json.loads(json.dumps(dict(self.result, trace="/nowhere")))
        for result in silent["results"]:
            result.update(messages=0, bytes=0)
        (self.folder / "silent.json").write_text(json.dumps(silent))
        hybrid("report", self.folder / "silent.json", "-o", self.folder / "silent.html")
        self.browser.get((self.folder / "silent.html").as_uri())
        self.assertIn("No message crosses the switch", self.find("main").text)
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "#waits, #matrix, #predictors"), [])

    def test_terms_in_text_have_definitions_at_their_first_place(self):
        def terms(selector):
            return [one.get_attribute("data-term") for one in self.browser.find_elements(By.CSS_SELECTOR, f"{selector} .term")]
        self.assertIn("wormhole", terms("#verdict"))
        self.assertEqual(len(terms("#verdict")), len(set(terms("#verdict"))))
        self.assertEqual(terms(".facts"), ["port", "phase"])
        self.assertIn("job time", terms("#table-techniques th"))
        self.assertIn("predictor", terms("#predictors h2"))

    def test_parameters_have_their_meaning(self):
        rows = {row[0]: row[1:] for row in self.download("parameters")}
        self.assertEqual(set(rows) - {"parameter"}, set(self.result["parameters"]))
        for name, (value, meaning) in rows.items():
            self.assertTrue(meaning, name)
        self.assertEqual(rows["slots"][0], "2,4")

    def test_hinted_phases_have_a_bar_for_each_occurrence(self):
        hybrid("report", self.extract("is-16-hints"), "-o", self.folder / "hints.html")
        self.browser.get((self.folder / "hints.html").as_uri())
        self.wait(lambda: self.run_script("return document.documentElement.dataset.ready") == "yes")
        rows = self.download("phase-timeline")[1:]
        expected = {row[0].text: int(row[1].text.replace(",", "")) for row in
                    (row.find_elements(By.TAG_NAME, "td") for row in self.browser.find_elements(By.CSS_SELECTOR, "#table-phases tbody tr"))}
        shown = {}
        for phase, begin, end, occurrences, *_ in rows:
            self.assertLessEqual(float(begin), float(end))
            shown[phase] = shown.get(phase, 0) + int(occurrences)
        hinted = {name: number for name, number in expected.items() if not name.startswith("(")}
        self.assertTrue(any(number > 10 for number in hinted.values()))
        self.assertEqual({name: shown[name] for name in hinted}, hinted)
        self.assertEqual(len(self.series("chart-phases")), len(rows))
        self.assertIn("Times are those of the recording", self.find("#phases").text)

    def test_slots_needed_without_rare_connections_are_shown(self):
        expected = [(p["slots_needed"], p["slots_without_rare"]) for p in self.result["phases"]]
        self.assertTrue(any(rare < all for all, rare in expected))
        rows = [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")]
                for row in self.browser.find_elements(By.CSS_SELECTOR, "#table-phases tbody tr")]
        self.assertEqual([(int(row[-2]), int(row[-1])) for row in rows], expected)
        label = self.find("#chart-phases").get_attribute("aria-label")
        for all, rare in expected:
            self.assertIn(f"needs {all} ({rare}) slots" if rare < all else f"needs {all} slots", label)

    def test_close_job_times_differ_in_text(self):
        rows = self.series("chart-slots", 0)
        self.assertLess(max(rows) / min(rows), 1.01)
        self.assertEqual(len(set(rows)), len(rows))
        label = self.find("#chart-slots").get_attribute("aria-label")
        shown = [part.split(": ")[1].split(" / ")[0] for part in label.split(": ", 1)[1].split("; ")]
        self.assertEqual(len(set(shown)), len(shown), label)
        self.assertIn("These job times differ by at most", self.find("#slots").text)

    def test_several_runs_have_their_spread(self):
        runs = [self.extract("is-16"), self.folder / "is-16-2", self.folder / "is-16-3"]
        for run in runs[1:]:
            shutil.copytree(runs[0], run)
        hybrid("replay", *runs, "--json", self.folder / "several.json")
        hybrid("report", self.folder / "several.json", "-o", self.folder / "several.html")
        self.browser.get((self.folder / "several.html").as_uri())
        self.wait(lambda: self.run_script("return document.documentElement.dataset.ready") == "yes")
        repeats = json.loads((self.folder / "several.json").read_text())["repeats"]
        self.assertEqual(self.series("chart-repeats"), [r["time_ns"]["median"] for r in repeats["results"]])
        self.assertEqual([[float(v) for v in row[2:]] for row in self.download("repeats")[1:]],
                         [[r[key][of] for key in ["time_ns", "time_ratio"] for of in ["median", "min", "max"]] for r in repeats["results"]])
        self.assertEqual(self.find("#verdict").text, repeats["verdict"]["sentence"])
        self.assertIn(" of 3, whose job time with", self.find("main").text)
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_a_result_without_its_trace_is_shown(self):
        alone = dict(self.result, trace="/nowhere")
        (self.folder / "alone.json").write_text(json.dumps(alone))
        hybrid("report", self.folder / "alone.json", "-o", self.folder / "alone.html")
        self.browser.get((self.folder / "alone.html").as_uri())
        self.assertTrue(self.find("#chart-techniques"))
        self.assertEqual(self.browser.find_elements(By.CSS_SELECTOR, "#chart-matrix"), [])
        self.assertIn("The trace was not read", self.find("main").text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
