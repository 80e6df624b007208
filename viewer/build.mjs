// Builds the page and its tests.
//
//   node build.mjs bundle   dist/viewer.html: markup, style and script in one file, with three slots that
//                           `clearance` fills: title, data, geometry
//   node build.mjs tests    build/*.mjs, for node's test runner

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const TARGET = ["chrome103", "firefox113", "safari16.4"];

async function bundle() {
  const options = { bundle: true, minify: true, write: false, target: TARGET, legalComments: "inline" };
  const [script, style] = await Promise.all([
    // `<` of `</script` in a string would end the element that holds the script: esbuild writes `<\/script`.
    build({ ...options, entryPoints: ["src/main.ts"], format: "iife", charset: "ascii" }),
    build({ ...options, entryPoints: ["src/style.css"] }),
  ]);
  const code = { script: text(script), style: text(style) };
  const page = await readFile("src/page.html", "utf8");
  // Nothing but these two runs or styles, and nothing is fetched: a part may have any name.
  const policy = [
    "default-src 'none'",
    `script-src '${digest(code.script)}'`,
    `style-src '${digest(code.style)}'`,
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const filled = page
    .replace("@@policy@@", () => policy)
    .replace("@@style@@", () => code.style)
    .replace("@@script@@", () => code.script);
  for (const slot of ["@@title@@", "@@data@@", "@@geometry@@"]) {
    if (filled.split(slot).length !== 2) throw new Error(`the page must have one ${slot}`);
  }
  await mkdir("dist", { recursive: true });
  // A file that is as it was is left alone, and nothing is compiled anew for it.
  const before = await readFile("dist/viewer.html", "utf8").catch(() => "");
  if (filled !== before) await writeFile("dist/viewer.html", filled);
}

async function tests() {
  const files = (await readdir("test")).filter((name) => name.endsWith(".test.ts"));
  await build({
    entryPoints: files.map((name) => `test/${name}`),
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node18",
    format: "esm",
    outdir: "build",
    outExtension: { ".js": ".mjs" },
  });
}

function text(result) {
  return result.outputFiles[0].text.trim();
}

function digest(content) {
  return `sha256-${createHash("sha256").update(content).digest("base64")}`;
}

const task = { bundle, tests }[process.argv[2]];
if (!task) throw new Error("usage: node build.mjs bundle|tests");
await task();
