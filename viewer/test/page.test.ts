// Pages of `clearance check --html`, opened from a file in Chromium.
//
// CLEARANCE names the program, CHROMIUM the browser; `cargo xtask test` sets both.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { type Browser, type BrowserContextOptions, type Page, chromium } from "playwright-core";
import { PNG } from "pngjs";

import { type Bracket, type Data, type Finding, KINDS, type Kind } from "../src/data";
import { type Sort, arrange } from "../src/list";

const program = required("CLEARANCE");
const repository = resolve(process.cwd(), "..");
const folder = mkdtempSync(join(tmpdir(), "clearance-pages-"));
let browser: Browser;

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run \`cargo xtask test\``);
  return value;
}

/** The page of a check. */
function page(name: string, files: string[], ...more: string[]): string {
  const path = join(folder, name);
  const { status, stderr } = spawnSync(program, ["check", ...files, "--html", path, "--quiet", "--exit-zero", ...more]);
  assert.equal(status, 0, String(stderr));
  return path;
}

interface Opened {
  readonly page: Page;
  /** What went wrong in the page, and what it asked the network for. */
  readonly faults: string[];
}

async function open(path: string, options: BrowserContextOptions = {}, hash = ""): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1100, height: 700 },
    reducedMotion: "reduce",
    ...options,
  });
  const opened = await context.newPage();
  const faults: string[] = [];
  opened.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !message.text().includes("GPU stall"))
      faults.push(message.text());
  });
  opened.on("pageerror", (error) => faults.push(String(error)));
  opened.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  opened.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) faults.push(`asked for ${request.url()}`);
  });
  await opened.goto(pathToFileURL(path).href + hash);
  await opened.waitForSelector("html[data-ready=true]");
  await drawn(opened);
  return { page: opened, faults };
}

/** Waits until what was asked for is drawn. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
}

/** The canvas as it is drawn, without what lies over it. */
async function pixels(page: Page): Promise<PNG> {
  await drawn(page);
  const url = await page.evaluate(() => document.querySelector<HTMLCanvasElement>("#canvas")?.toDataURL() ?? "");
  return PNG.sync.read(Buffer.from(url.slice(url.indexOf(",") + 1), "base64"));
}

/** How many pixels satisfy something. */
function count(image: PNG, is: (red: number, green: number, blue: number) => boolean): number {
  let found = 0;
  for (let i = 0; i < image.data.length; i += 4) {
    if (is(image.data[i] ?? 0, image.data[i + 1] ?? 0, image.data[i + 2] ?? 0)) found++;
  }
  return found;
}

const isRed = (red: number, green: number, blue: number): boolean => red > green + 60 && red > blue + 60;
const isAmber = (red: number, green: number, blue: number): boolean => red > 150 && green > 80 && blue < green - 40;
const isBlue = (red: number, green: number, blue: number): boolean => blue > red + 50 && blue > green + 25;

/** The share of pixels that differ, of those that both pictures have. */
function changed(one: PNG, other: PNG): number {
  const [width, height] = [Math.min(one.width, other.width), Math.min(one.height, other.height)];
  let found = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const of = (image: PNG, c: number): number => image.data[4 * (y * image.width + x) + c] ?? 0;
      if ([0, 1, 2].some((c) => Math.abs(of(one, c) - of(other, c)) > 12)) found++;
    }
  }
  return found / (width * height);
}

/** A box as an object of an OBJ file. */
function box(name: string, low: number[], high: number[], before: number): string {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((axis) => ((k >> axis) & 1 ? high : low)[axis]));
  const faces = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ];
  const lines = [`o ${name}`, ...corners.map((corner) => `v ${corner.join(" ")}`)];
  return [...lines, ...faces.map((face) => `f ${face.map((corner) => before + corner + 1).join(" ")}`), ""].join("\n");
}

/** Boxes, one after another. */
function boxes(list: [string, number[], number[]][]): string {
  return list.map(([name, low, high], i) => box(name, low, high, 8 * i)).join("");
}

const rows = (page: Page) => page.locator("#findings .finding");
const chosen = (page: Page) => page.locator('#findings .finding[aria-current="true"]');

/** Moves the slider from one end to the other and sees that the picture changes; the picture at the start. */
async function slides(page: Page): Promise<PNG> {
  assert.ok(await page.locator("#timeline").isVisible());
  assert.equal(await page.locator("#now").textContent(), "t = 0");
  const first = await pixels(page);
  await page.locator("#time").focus();
  await page.keyboard.press("End");
  assert.equal(await page.locator("#now").textContent(), "t = 1");
  assert.ok(changed(first, await pixels(page)) > 0.02, "what is shown moved");
  return first;
}

describe("the list", () => {
  const bracket = (value: number): Bracket => ({ value, lower: value, upper: value });
  const finding = (
    id: string,
    kind: Kind,
    gap: number | null,
    depth: number | null,
    volume: number | null,
  ): Finding => ({
    id,
    kind,
    a: 0,
    b: 1,
    group: "",
    sentence: "",
    gap: gap === null ? null : bracket(gap),
    depth: depth === null ? null : bracket(depth),
    volume: volume === null ? null : bracket(volume),
    points: null,
    loops: [],
    way_out: null,
    overlap: null,
    frame: null,
    details: [],
  });
  const findings = [
    finding("far", "measured", 3, null, null),
    finding("near", "clearance", 0.25, null, null),
    finding("shallow", "hard", -0.5, 0.5, 40),
    finding("twin", "duplicate", null, null, null),
    finding("deep", "hard", -2, 2, 7),
    finding("kiss", "touching", 0, null, null),
  ];
  const data = {
    parts: [
      { name: "one", geometry: null },
      { name: "two", geometry: null },
    ],
    findings,
  } as unknown as Data;
  const ids = (sort: Sort, words = ""): string[] =>
    arrange(data, { kinds: new Set(KINDS), words, sort, group: "none" }).flatMap((group) =>
      group.findings.map(({ id }) => id),
    );

  test("is in the selected order", () => {
    assert.deepEqual(ids("severity"), ["far", "near", "shallow", "twin", "deep", "kiss"], "as they come");
    assert.deepEqual(ids("kind"), ["shallow", "deep", "twin", "near", "kiss", "far"]);
    assert.deepEqual(ids("depth"), ["deep", "shallow", "far", "near", "twin", "kiss"]);
    assert.deepEqual(ids("volume"), ["shallow", "deep", "far", "near", "twin", "kiss"]);
    assert.deepEqual(ids("gap"), ["deep", "shallow", "kiss", "near", "far", "twin"]);
  });

  test("leaves out what does not keep to a bound", () => {
    assert.deepEqual(ids("depth", "depth>0.5"), ["deep"]);
    assert.deepEqual(ids("depth", "depth>=0.5"), ["deep", "shallow"]);
    assert.deepEqual(ids("gap", "gap<0.5"), ["deep", "shallow", "kiss", "near"]);
    assert.deepEqual(ids("gap", "gap >= 0 gap<=3"), ["kiss", "near", "far"]);
    assert.deepEqual(ids("volume", "volume < 1e1"), ["deep"]);
    assert.deepEqual(ids("depth", "my-depth>1"), [], "which is a word");
  });
});

before(async () => {
  const args = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
  browser = await chromium.launch({ executablePath: required("CHROMIUM"), args });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the gearbox", () => {
  let path: string;
  let opened: Opened;

  before(async () => {
    path = page("gearbox.html", [join(repository, "examples/gearbox.glb")]);
    opened = await open(path);
  });

  test("is one file of a modest size", () => {
    const size = statSync(path).size;
    assert.ok(size < 1_600_000, `${size} bytes`);
    const text = readFileSync(path, "utf8");
    assert.doesNotMatch(text, /<(script|link|img|iframe)[^>]*\s(src|href)=/i);
  });

  test("lists its findings", async () => {
    assert.equal(await rows(opened.page).count(), 5);
    assert.match((await opened.page.title()) ?? "", /gearbox\.glb: 5 findings/);
    assert.match((await opened.page.locator("#verdict").textContent()) ?? "", /^5 findings: 2 hard, 1 duplicate/);
    assert.equal(await opened.page.locator("#kinds button").count(), 4);
    assert.match((await rows(opened.page).first().textContent()) ?? "", /dowel-2.*deep, proved/);
    assert.equal(await opened.page.locator("#timeline").isVisible(), false);
  });

  test("is drawn, and a click flies to a finding", async () => {
    const all = await pixels(opened.page);
    const background = [all.data[0], all.data[1], all.data[2]];
    const drawn = count(all, (...colour) => colour.some((c, i) => Math.abs(c - (background[i] ?? 0)) > 8));
    assert.ok(drawn > 0.1 * all.width * all.height, `${drawn} pixels are drawn`);
    assert.equal(await opened.page.locator("#pins button:visible").count(), 5);

    await rows(opened.page).first().click();
    const id = await chosen(opened.page).getAttribute("data-id");
    assert.equal(new URL(opened.page.url()).hash, `#${id}`);
    assert.match(
      (await opened.page.locator("#card h2").textContent()) ?? "",
      /^hard clash: B is inside A, .* mm deep, proved/,
    );
    assert.match((await opened.page.locator("#live").textContent()) ?? "", /Finding 1 of 5: hard clash/);
    assert.equal(await opened.page.locator("#pins").isVisible(), false);
    const one = await pixels(opened.page);
    assert.ok(changed(all, one) > 0.1, "the picture changes");
    assert.ok(
      count(one, isAmber) > 500,
      `${count(one, isAmber)} pixels are amber: the dowel, all of which is in the housing`,
    );
    await rows(opened.page).nth(1).click();
    const gears = await pixels(opened.page);
    assert.ok(changed(one, gears) > 0.1, "another finding is another picture");
    assert.ok(count(gears, isRed) > 5000, `${count(gears, isRed)} pixels are red`);
    assert.ok(count(gears, isBlue) > 5000, `${count(gears, isBlue)} pixels are blue`);
    assert.ok(count(gears, isAmber) > 100, `${count(gears, isAmber)} pixels are of what they have in common`);
    assert.match(
      (await opened.page.locator("#card h2").textContent()) ?? "",
      / mm deep, proved between .*; 682\.1 mm³ in common$/,
    );
    assert.match((await opened.page.locator("#label").textContent()) ?? "", /^2\.\d+ mm deep · move by 2\.\d+ mm$/);
    await rows(opened.page).first().click();

    await opened.page.locator("#others").selectOption("hidden");
    const alone = await pixels(opened.page);
    assert.ok(changed(one, alone) > 0.01, "the other parts were drawn");
    await opened.page.locator("#others").selectOption("ghosted");
    assert.ok(changed(one, await pixels(opened.page)) === 0, "the same view is the same picture");
  });

  const pairs = (page: Page): Promise<string[]> => rows(page).locator(".pair").allTextContents();
  const [dowel, gears, bearings, collar, cover] = [
    "lower × dowel-2",
    "gear-a × gear-b",
    "bearing-right × bearing-right#2",
    "collar × cover-1-right",
    "inspection-cover × oil-level",
  ] as const;

  test("is sorted", async () => {
    const { page } = opened;
    await page.locator("#group").selectOption("none");
    // 4.9 and 2.06 mm deep, 666 and 682 mm³; gaps of -16, -8, -2.06, 0 and 0.2 mm. Findings without that
    // number are last, worst first.
    for (const [sort, expected] of [
      ["kind", [dowel, gears, bearings, collar, cover]],
      ["depth", [dowel, gears, bearings, collar, cover]],
      ["volume", [gears, dowel, bearings, collar, cover]],
      ["gap", [bearings, dowel, gears, cover, collar]],
      ["name", [bearings, collar, gears, cover, dowel]],
      ["severity", [dowel, gears, bearings, collar, cover]],
    ] as const) {
      await page.locator("#sort").selectOption(sort);
      assert.deepEqual(await pairs(page), expected, sort);
    }
    await page.locator("#group").selectOption("pair");
  });

  test("is filtered by numbers and words", async () => {
    const { page } = opened;
    for (const [words, expected] of [
      ["depth>1", [dowel, gears]],
      ["depth>4", [dowel]],
      ["depth<4", [gears]],
      ["depth >= 4.5", [dowel]],
      ["volume>=20", [dowel, gears]],
      ["volume>670", [gears]],
      ["Volume<=670", [dowel]],
      ["gap<0.5", [dowel, gears, bearings, collar, cover]],
      ["gap>=0", [collar, cover]],
      ["gap>-10 gap<0", [dowel, gears]],
      ["gap<=0 cover", [cover]],
      ["dowel depth>1", [dowel]],
      ["depth>1 volume>670", [gears]],
      ["depth>100", []],
      ["depth>one", []],
      // Begun, and nothing yet.
      ["depth>", [dowel, gears, bearings, collar, cover]],
      ["gap<-", [dowel, gears, bearings, collar, cover]],
      ["dowel", [dowel]],
      ["", [dowel, gears, bearings, collar, cover]],
    ] as const) {
      await page.locator("#words").fill(words);
      assert.deepEqual(await pairs(page), expected, words);
      const said = expected.length === 5 ? "5 findings" : `${expected.length} of 5 findings`;
      assert.equal(await page.locator("#count").textContent(), said);
    }
    assert.match((await page.locator("#words").getAttribute("placeholder")) ?? "", /depth>1/);
  });

  test("is filtered by each kind", async () => {
    const { page } = opened;
    for (const [kind, left] of [
      ["hard", [bearings, collar, cover]],
      ["duplicate", [dowel, gears, collar, cover]],
      ["clearance", [dowel, gears, bearings, cover]],
      ["touching", [dowel, gears, bearings, collar]],
    ] as const) {
      const chip = page.locator(`#kinds button.${kind}`);
      await chip.click();
      assert.deepEqual(await pairs(page), left, kind);
      assert.equal(await chip.getAttribute("aria-pressed"), "false");
      await chip.click();
      assert.equal(await rows(page).count(), 5);
    }
  });

  test("is grouped", async () => {
    const { page } = opened;
    await page.locator("#group").selectOption("part");
    assert.equal(await rows(page).count(), 9, "a finding is shown with each of its parts; the bearing is there twice");
    assert.ok((await page.locator("#findings h2").count()) >= 5);
    await page.locator("#group").selectOption("pair");
    assert.deepEqual(await pairs(page), [dowel, gears, bearings, collar, cover]);
  });

  test("is used by the keyboard", async () => {
    const { page } = opened;
    await page.keyboard.press("Escape");
    assert.equal(await chosen(page).count(), 0);
    const ids = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute("data-id")));
    for (const key of ["n", "j", "ArrowDown"]) await page.keyboard.press(key);
    assert.equal(await chosen(page).getAttribute("data-id"), ids[2]);
    for (const key of ["p", "k", "ArrowUp"]) await page.keyboard.press(key);
    assert.equal(await chosen(page).getAttribute("data-id"), ids[4], "before the first is the last");
    await page.keyboard.press("/");
    await page.keyboard.type("n");
    assert.equal(await page.locator("#words").inputValue(), "n", "a letter in a field is a letter");
    await page.locator("#words").fill("");
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    assert.ok(await page.locator("#keys").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(!(await page.locator("#keys").isVisible()));
    assert.equal(await chosen(page).count(), 1, "closing the help changes nothing else");
    // Findings are reached by the tab key, and entered.
    await page.locator("#group").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await chosen(page).getAttribute("data-id"), ids[0]);
    const before = await pixels(page);
    await page.locator("#canvas").focus();
    await page.keyboard.press("ArrowLeft");
    assert.ok(changed(before, await pixels(page)) > 0.01, "an arrow key turns the parts");
    await page.keyboard.press("f");
    assert.ok(changed(before, await pixels(page)) === 0);
  });

  test("has names for screen readers", async () => {
    const { page } = opened;
    assert.equal(await page.getByRole("complementary", { name: "Findings" }).count(), 1);
    assert.equal(
      await page
        .getByRole("listitem")
        .filter({ has: page.getByRole("button", { name: /dowel/ }) })
        .first()
        .isVisible(),
      true,
    );
    assert.equal(await page.getByRole("img", { name: /3D view/ }).count(), 1);
    assert.equal(await page.getByRole("search").count(), 1);
    for (const control of await page.locator("button:visible, select:visible, input:visible").all()) {
      const name = await control.evaluate(
        (e) =>
          e.getAttribute("aria-label") ??
          e.textContent ??
          (e as HTMLInputElement).labels?.[0]?.textContent ??
          e.getAttribute("title"),
      );
      assert.ok(
        name?.trim() || (await control.getAttribute("title")),
        `${await control.evaluate((e) => e.outerHTML)} has a name`,
      );
    }
  });

  test("names a part that is clicked", async () => {
    const { page } = opened;
    await page.keyboard.press("Escape");
    const canvas = await page.locator("#canvas").boundingBox();
    await page.mouse.click(
      (canvas?.x ?? 0) + (canvas?.width ?? 0) / 2,
      (canvas?.y ?? 0) + (canvas?.height ?? 0) / 2 + 40,
    );
    assert.match((await page.locator("#hover").textContent()) ?? "", /^gearbox\/.*finding/);
  });

  test("is opened at a finding by its link, in the dark", async () => {
    const id = await rows(opened.page).nth(2).getAttribute("data-id");
    const dark = await open(path, { colorScheme: "dark" }, `#${id}`);
    assert.equal(await chosen(dark.page).getAttribute("data-id"), id);
    await dark.page.keyboard.press("Escape");
    const [red = 255, green = 255, blue = 255] = (await pixels(dark.page)).data;
    assert.ok(Math.max(red, green, blue) < 60, "the background is dark");
    assert.equal(await dark.page.evaluate(() => getComputedStyle(document.body).color), "rgb(232, 235, 238)");
    // The button goes round: system, light, dark.
    await dark.page.locator("#theme").click();
    assert.ok((await pixels(dark.page)).data[0]! > 200, "the background is light");
    assert.deepEqual(dark.faults, []);
    await dark.page.context().close();
  });

  test("prints its findings and a picture", async () => {
    const { page } = opened;
    await rows(page).first().click();
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.locator("#snapshot").isVisible());
    assert.ok(!(await page.locator("#filters").isVisible()));
    assert.equal(await page.locator("#findings .finding:visible").count(), 5);
    await page.emulateMedia({ media: null });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  });

  test("had no fault", () => assert.deepEqual(opened.faults, []));
});

describe("names", () => {
  test("are text, whatever they contain", async () => {
    const names = [
      "</script><script>window.hacked=1</script>",
      "<img/src=x/onerror=window.hacked=2>",
      "\"'`;window.hacked=3;//<!--<script>",
      "@@data@@${alert(1)}$&$'",
    ];
    const parts = names.map((name, i): [string, number[], number[]] => [name, [i, i, 0], [i + 1.5, i + 1.5, 1]]);
    const file = join(folder, "<b onmouseover=alert(1)>&amp;.obj");
    writeFileSync(file, boxes(parts));
    const rules = join(folder, "rules.toml");
    writeFileSync(rules, "version = 1\n[[rule]]\nname = '</title><script>window.hacked=4</script>'\nparts = ['*']\n");
    const opened = await open(page("names.html", [file], "--rules", rules));
    assert.equal(await rows(opened.page).count(), 3);
    for (const finding of await rows(opened.page).all()) await finding.click();
    const text = (await opened.page.locator("#card").textContent()) ?? "";
    assert.ok(
      names.some((name) => text.includes(name)),
      text,
    );
    assert.ok(text.includes("</title><script>window.hacked=4</script>"));
    assert.ok((await opened.page.title()).includes("<b onmouseover=alert(1)>&amp;.obj"));
    assert.equal(await opened.page.evaluate(() => (window as unknown as { hacked?: number }).hacked), undefined);
    assert.equal(await opened.page.locator("#panel img, #panel b[onmouseover], #card script").count(), 0);
    assert.deepEqual(opened.faults, []);
    await opened.page.context().close();
  });
});

describe("odd sizes", () => {
  const cases: [string, number, number][] = [
    ["tiny", 1e-9, 0],
    ["huge", 1e12, 0],
    ["far away", 1, 1e7],
  ];
  for (const [name, size, offset] of cases) {
    test(`${name} parts are drawn`, async () => {
      const at = (corner: number[]): number[] => corner.map((x) => offset + size * x);
      const file = join(folder, `${name}.obj`);
      writeFileSync(
        file,
        boxes([
          ["one", at([0, 0, 0]), at([1, 1, 1])],
          ["two", at([0.5, 0.5, 0.5]), at([2, 2, 2])],
        ]),
      );
      const opened = await open(page(`${name}.html`, [file], "--touch", "0"));
      assert.equal(await rows(opened.page).count(), 1);
      const all = await pixels(opened.page);
      await rows(opened.page).first().click();
      const one = await pixels(opened.page);
      assert.ok(
        count(one, isRed) > 1000 && count(one, isBlue) > 1000,
        `${count(one, isRed)} red, ${count(one, isBlue)} blue`,
      );
      assert.ok(changed(all, one) > 0.05);
      assert.deepEqual(opened.faults, []);
      await opened.page.context().close();
    });
  }
});

describe("nothing found", () => {
  test("is said", async () => {
    const file = join(folder, "clean.obj");
    writeFileSync(
      file,
      boxes([
        ["one", [0, 0, 0], [1, 1, 1]],
        ["two", [3, 0, 0], [4, 1, 1]],
      ]),
    );
    const opened = await open(page("clean.html", [file]));
    assert.equal(await rows(opened.page).count(), 0);
    assert.equal(await opened.page.locator("#count").textContent(), "No findings.");
    await opened.page.keyboard.press("n");
    assert.deepEqual(opened.faults, []);
    await opened.page.context().close();
  });
});

describe("two files", () => {
  const write = (name: string, low: number[], high: number[]): string => {
    const path = join(folder, name);
    writeFileSync(path, boxes([[name, low, high]]));
    return path;
  };
  const asked = async (command: string, ...more: string[]): Promise<Opened> => {
    const files = [write("pin.obj", [0, 0, 0], [1, 1, 4]), write("plate.obj", [-3, -3, 5], [3, 3, 6])];
    const path = join(folder, `${command}.html`);
    execFileSync(program, [command, ...files, "--html", path, "--unit", "mm", ...more]);
    return open(path);
  };

  test("are shown with their distance", async () => {
    const opened = await asked("distance");
    assert.match((await opened.page.locator("#verdict").textContent()) ?? "", /^1 mm apart, proved to within/);
    await rows(opened.page).first().click();
    const image = await pixels(opened.page);
    assert.ok(count(image, isRed) > 1000 && count(image, isBlue) > 1000);
    assert.equal(await opened.page.locator("#label").textContent(), "1 mm");
    assert.deepEqual(opened.faults, []);
    await opened.page.context().close();
  });

  for (const [command, sentence] of [
    ["depth", /^0\.5 mm deep, proved/],
    ["volume", /^0\.5 mm³ in common, proved/],
  ] as const) {
    test(`are shown with their ${command}`, async () => {
      const opened = await asked(command, "--pose", "0 0 -1.5");
      await rows(opened.page).first().click();
      assert.match((await opened.page.locator("#card h2").textContent()) ?? "", sentence);
      const amber = count(await pixels(opened.page), isAmber);
      assert.ok(amber > 100, `${amber} pixels of what they have in common`);
      assert.deepEqual(opened.faults, []);
      await opened.page.context().close();
    });
  }

  test("are shown along a path", async () => {
    const poses = join(folder, "poses.txt");
    writeFileSync(poses, "# down\n0 0 0\n0 0 -0.5\n0 0 -1.25\n0 0 -2\n");
    const opened = await asked("depth", "--path", poses);
    assert.ok(await opened.page.locator("#timeline").isVisible());
    assert.equal(await rows(opened.page).count(), 4);
    await rows(opened.page).first().click();
    assert.match((await opened.page.locator("#card h2").textContent()) ?? "", /^line 5: 1 mm deep/);
    assert.equal(await opened.page.locator("#now").textContent(), "line 5");
    const deep = await pixels(opened.page);
    await rows(opened.page).last().click();
    assert.equal(await opened.page.locator("#now").textContent(), "line 2");
    assert.ok(changed(deep, await pixels(opened.page)) > 0.02);
    assert.deepEqual(opened.faults, []);
    await opened.page.context().close();
  });
});

describe("a motion", () => {
  test("has a slider, and findings know their frame", async () => {
    const path = join(folder, "motion.html");
    execFileSync(join(dirname(program), "examples", "page"), [path]);
    const opened = await open(path);
    await slides(opened.page);
    await rows(opened.page).first().click();
    assert.equal(await opened.page.locator("#time").inputValue(), "10");
    assert.equal(await opened.page.locator("#now").textContent(), "t = 0.5");
    const amber = count(await pixels(opened.page), isAmber);
    assert.ok(amber > 500, `${amber} pixels of what they have in common`);
    await opened.page.locator("#play").click();
    await opened.page.waitForFunction(() => document.querySelector<HTMLInputElement>("#time")?.value !== "10");
    await opened.page.locator("#play").click();
    assert.deepEqual(opened.faults, []);
    await opened.page.context().close();
  });
});

describe("a deforming mesh", () => {
  const rows10 = Array.from({ length: 10 }, (_, i) => i);
  /** A sheet of triangles over the unit square, and a small triangle above or below it. */
  const sheet = (low: number, bulge: number): string => {
    const points = rows10.flatMap((i) => rows10.map((j) => [i / 9, j / 9, bulge * Math.sin((Math.PI * i) / 9)]));
    const faces = rows10.slice(1).flatMap((i) =>
      rows10.slice(1).flatMap((j) => {
        const corner = 10 * (i - 1) + j;
        return [
          [corner, corner + 10, corner + 1],
          [corner + 1, corner + 10, corner + 11],
        ];
      }),
    );
    const leaf = [
      [0.4, 0.4, low],
      [0.6, 0.4, low + 0.1],
      [0.4, 0.6, low + 0.1],
    ];
    const lines = [...points, ...leaf].map((point) => `v ${point.join(" ")}`);
    return [...lines, ...[...faces, [101, 102, 103]].map((face) => `f ${face.join(" ")}`), ""].join("\n");
  };

  test("is moved by the slider, and an impact moves the slider to its time", async () => {
    const files = [join(folder, "leaf-0.obj"), join(folder, "leaf-1.obj")];
    writeFileSync(files[0] ?? "", sheet(0.5, 0));
    writeFileSync(files[1] ?? "", sheet(-0.5, 0.1));
    const path = join(folder, "sweep.html");
    const { status, stderr } = spawnSync(program, ["sweep", ...files, "--html", path]);
    assert.equal(status, 1, String(stderr));
    const opened = await open(path);
    assert.match((await opened.page.locator("#verdict").textContent()) ?? "", /^\d+ impacts, the first at t = 0\./);
    const first = await slides(opened.page);
    await opened.page.keyboard.press("Home");
    assert.equal(changed(first, await pixels(opened.page)), 0, "and went back");
    await rows(opened.page).first().click();
    const sentence = (await opened.page.locator("#card h2").textContent()) ?? "";
    const time = /^vertex 100 touches face \d+ at t = (0\.\d+)$/.exec(sentence)?.[1];
    assert.ok(time, sentence);
    assert.equal(await opened.page.locator("#now").textContent(), `t = ${time}`);
    assert.match((await rows(opened.page).first().textContent()) ?? "", /leaf-0\.obj × itself/);
    assert.equal(await opened.page.locator("#card .parts p").count(), 1);
    const impact = await pixels(opened.page);
    await rows(opened.page).last().click();
    assert.notEqual(await opened.page.locator("#now").textContent(), `t = ${time}`);
    assert.ok(changed(impact, await pixels(opened.page)) > 0.005, "another impact is another picture");
    assert.deepEqual(opened.faults, []);
    await opened.page.context().close();
  });

  test("and another are shown where they touch", async () => {
    const names = ["floor-0.obj", "floor-1.obj", "block-0.obj", "block-1.obj"].map((name) => join(folder, name));
    const at = (z: number): string => boxes([["block", [-1, -1, z], [1, 1, z + 2]]]);
    const texts = [
      boxes([["floor", [-3, -3, -1], [3, 3, 0]]]),
      boxes([["floor", [-3, -3, -1], [3, 3, 0.5]]]),
      at(2),
      at(-1),
    ];
    names.forEach((name, i) => writeFileSync(name, texts[i] ?? ""));
    const path = join(folder, "two.html");
    const { status, stderr } = spawnSync(program, ["sweep", ...names, "--first", "--html", path]);
    assert.equal(status, 1, String(stderr));
    const opened = await open(path);
    await rows(opened.page).first().click();
    const image = await pixels(opened.page);
    assert.ok(
      count(image, isRed) > 1000 && count(image, isBlue) > 1000,
      `${count(image, isRed)} red, ${count(image, isBlue)} blue`,
    );
    assert.equal(await opened.page.locator("#now").textContent(), "t = 0.5714");
    assert.deepEqual(opened.faults, []);
    await opened.page.context().close();
  });
});

describe("a query explained", () => {
  /** A surface of waves over a square, at a height. */
  const waves = (count: number, height: number, phase: number): string => {
    const places = Array.from({ length: count }, (_, i) => i);
    const points = places.flatMap((i) =>
      places.map((j) => [i, j, height + Math.sin(i / 2 + phase) * Math.cos(j / 3)].join(" ")),
    );
    const faces = places.slice(1).flatMap((i) =>
      places.slice(1).flatMap((j) => {
        const corner = count * (i - 1) + j;
        return [
          [corner, corner + count, corner + 1],
          [corner + 1, corner + count, corner + count + 1],
        ];
      }),
    );
    return [...points.map((p) => `v ${p}`), ...faces.map((face) => `f ${face.join(" ")}`), ""].join("\n");
  };
  const explained = (...more: string[]): string => {
    const path = join(folder, "explain.html");
    const { status, stderr } = spawnSync(program, ["explain", ...more, "-o", path]);
    assert.equal(status, 0, String(stderr));
    return path;
  };
  const [below, above] = [join(folder, "below.obj"), join(folder, "above.obj")];
  const text = async (page: Page, id: string): Promise<string> => (await page.locator(id).textContent()) ?? "";

  test("shows its trees level by level, and its pairs one by one", async () => {
    writeFileSync(below, waves(12, 0, 0));
    writeFileSync(above, waves(12, 2.5, 1));
    const opened = await open(explained("distance", below, above, "--tree", "obb"));
    const { page } = opened;
    assert.match(await text(page, "#verdict"), /^.* apart.*; Nv \d+, Np \d+$/);
    assert.match(await text(page, "#level-now"), /^3 of \d+: reached \d+ \+ \d+$/);
    const pairs = Number(/^all (\d+)$/.exec(await text(page, "#visit-now"))?.[1]);
    assert.ok(pairs > 20, `${pairs} pairs`);
    const third = await pixels(page);
    assert.ok(count(third, isRed) > 100 && count(third, isBlue) > 100, "volumes of A in red, of B in blue");
    await page.keyboard.press("]");
    assert.match(await text(page, "#level-now"), /^4 of /);
    assert.ok(changed(third, await pixels(page)) > 0.005, "another level is another picture");
    await page.keyboard.press("[");
    assert.equal(changed(third, await pixels(page)), 0);
    await page.locator("#volumes").selectOption("none");
    const none = await pixels(page);
    assert.ok(count(none, isRed) < 20 && count(none, isBlue) < 20);
    await page.locator("#volumes").selectOption("all");
    await page.locator("#of .b input").uncheck();
    const ofA = await pixels(page);
    assert.ok(count(ofA, isRed) > 100 && count(ofA, isBlue) < 20, "A alone");
    await page.locator("#of .b input").check();
    await page.locator("#canvas").focus();
    await page.keyboard.press(".");
    assert.equal(await text(page, "#visit-now"), `1 of ${pairs}: levels 0 × 0, opened`);
    await page.locator("#visit").focus();
    await page.keyboard.press("End");
    assert.match(await text(page, "#visit-now"), new RegExp(`^${pairs} of ${pairs}: levels \\d+ × \\d+, `));
    await page.locator("#walk").click();
    await page.waitForFunction(() => /^[1-9] of /.test(document.querySelector("#visit-now")?.textContent ?? ""));
    await page.locator("#walk").click();
    // The answer is a finding like others, and the table is there.
    await rows(page).first().click();
    assert.ok(await page.locator("#card").isVisible());
    assert.match(await text(page, "#card"), /pairs of volumes, Nv/);
    assert.match(await text(page, "#tables"), /By level.*of B/);
    assert.deepEqual(opened.faults, []);
    await page.context().close();
  });

  test("shows the tree of one mesh", async () => {
    writeFileSync(below, waves(12, 0, 0));
    const opened = await open(explained("levels", below, "--tree", "sphere"));
    const { page } = opened;
    assert.match(await text(page, "#level-now"), /^3 of \d+: 8 volumes$/);
    assert.ok(!(await page.locator("#visits").isVisible()));
    assert.deepEqual(await page.locator("#volumes option").allTextContents(), ["all", "none"]);
    assert.ok(count(await pixels(page), isRed) > 100);
    assert.deepEqual(opened.faults, []);
    await page.context().close();
  });

  test("is no part of other pages", async () => {
    const opened = await open(page("plain.html", [join(repository, "examples/gearbox.glb")]));
    assert.ok(!(await opened.page.locator("#trees").isVisible()));
    await opened.page.locator("#help").click();
    assert.ok(await opened.page.locator("#keys").isVisible());
    assert.ok(!(await opened.page.locator(".of-trees").first().isVisible()));
    await opened.page.context().close();
  });
});
