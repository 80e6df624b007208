// What a notebook shows of a page: opens a file that holds the page in a frame, clicks a finding in it, and prints what
// it saw, as JSON.
//
//   node test/notebook.mjs CHROMIUM FILE
//
// The tests of the Python package run it (crates/clearance-python/tests/test_notebook.py).

import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

const [, , executablePath, file] = process.argv;
if (!executablePath || !file) throw new Error("usage: node test/notebook.mjs CHROMIUM FILE");

const args = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
const browser = await chromium.launch({ executablePath, args });
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 700 }, reducedMotion: "reduce" });
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !message.text().includes("GPU stall"))
      faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|data|blob|about):/.test(request.url())) faults.push(`asked for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  const iframe = await page.waitForSelector("iframe");
  const frame = await iframe.contentFrame();
  await frame.waitForSelector("html[data-ready=true]", { timeout: 20_000 });
  const rows = frame.locator("#findings .finding");
  const chosen = frame.locator('#findings .finding[aria-current="true"]');
  const before = { rows: await rows.count(), chosen: await chosen.count() };
  // The canvas, as it is drawn: how many colours there are.
  const colours = () =>
    frame.evaluate(async () => {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const image = new Image();
      image.src = document.querySelector("#canvas").toDataURL();
      await image.decode();
      const copy = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const context = copy.getContext("2d");
      context.drawImage(image, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size;
    });
  const all = await colours();
  await rows.first().click();
  await frame.locator("#card h2").waitFor();
  const seen = {
    origin: await frame.evaluate(() => globalThis.origin),
    sandbox: await iframe.getAttribute("sandbox"),
    height: (await iframe.boundingBox())?.height,
    rows: before.rows,
    chosenBefore: before.chosen,
    chosen: await chosen.count(),
    card: await frame.locator("#card h2").textContent(),
    problem: await frame.locator("#problem").isVisible(),
    colours: [all, await colours()],
    faults,
  };
  console.log(JSON.stringify(seen));
} finally {
  await browser.close();
}
