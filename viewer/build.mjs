// Builds the page and its tests.
//
//   node build.mjs bundle FOLDER   viewer.html: markup, style and script in one file, with three slots that
//                                  `clearance-view` fills: title, data, geometry; and LICENSES.txt, of the packages
//                                  that are in it
//   node build.mjs tests           build/*.mjs, for node's test runner

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const TARGET = ["chrome103", "firefox113", "safari16.4"];

async function bundle(folder) {
  if (!folder) throw new Error("usage: node build.mjs bundle FOLDER");
  const options = { bundle: true, minify: true, write: false, metafile: true, target: TARGET, legalComments: "inline" };
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
  await mkdir(folder, { recursive: true });
  await write(join(folder, "viewer.html"), filled);
  await write(join(folder, "LICENSES.txt"), await licenses([script, style]));
}

/** Writes a file; one that is as it was is left alone, and nothing is compiled anew for it. */
async function write(path, content) {
  const before = await readFile(path, "utf8").catch(() => "");
  if (content !== before) await writeFile(path, content);
}

/** The licences of all packages that are in the bundle. */
async function licenses(results) {
  const files = results.flatMap((result) => Object.keys(result.metafile.inputs));
  const names = files.map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]).filter(Boolean);
  let out = "The page viewer.html holds code of these packages.\n";
  for (const name of [...new Set(names)].sort()) {
    const { version, license } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8"));
    const text = await readFile(`node_modules/${name}/LICENSE`, "utf8");
    out += `\n--- ${name} ${version}: ${license} ---\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
  }
  return out;
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
if (!task) throw new Error("usage: node build.mjs bundle FOLDER | tests");
await task(process.argv[3]);
