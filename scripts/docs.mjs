// Checks that the code blocks of the documentation are copies of files, and that the files run. `pnpm test:docs`
// checks, `--write` copies the code into
// the pages.
//
// A code block in a page names its source, a whole file or a region of one:
//     ```ts file=docs/examples/first-run.ts        ```ts file=apps/playground/src/app.tsx#mount
// A region is the code between `// #region mount` and `// #endregion`, below the file's imports from packages that it
// uses and that no earlier block of the page shows. Every file of docs/examples is run; its output must contain what
// it promises to print (`// prints: Hello Ada`). Each link to a file or a heading of the repository must lead there.
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const write = process.argv.includes('--write');
/** @type {string[]} */
const problems = [];

const pages = globSync(['*.md', 'docs/**/*.md', '{packages,apps}/**/README.md'], {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
});
let blocks = 0;
for (const page of pages.toSorted()) checkPage(page);
let links = 0;
for (const page of pages) checkLinks(page);

const examples = globSync('docs/examples/*.ts', { cwd: root }).toSorted();
const waiting = [...examples];
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runExample(next);
  }),
);
problems.sort();

for (const problem of problems) console.error(`✗ ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(
  `${pages.length} pages, ${blocks} code blocks, ${links} links, ${examples.length} examples run: all as written`,
);

/** @param {string} page */
function checkPage(page) {
  const text = readFileSync(join(root, page), 'utf8');
  const fence = /^(```(\w+)\b[ \t]*(?:file=(\S+))?[^\n]*\n)([\s\S]*?)^```$/gm;
  /** The names whose imports the page has shown. @type {Set<string>} */
  const imported = new Set();
  const updated = text.replace(fence, (block, opening, language, source, shown, offset) => {
    // commands, output and fragments of settings come from no file
    if (source === undefined && !/^tsx?$/.test(language)) return block;
    blocks += 1;
    const line = text.slice(0, offset).split('\n').length;
    const { code, fault } =
      source === undefined
        ? { fault: `names no file. Write \`\`\`${language} file=<path>[#<region>].` }
        : sourceOf(source, imported);
    if (code === shown) return block;
    if (code === undefined) {
      problems.push(`${page}:${line}: the code block ${fault}`);
      return block;
    }
    if (write) return `${opening}${code}\`\`\``;
    problems.push(`${page}:${line}: the code block differs from ${source}. Run: pnpm test:docs --write`);
    return block;
  });
  if (updated !== text) writeFileSync(join(root, page), updated);
}

/**
 * @param {string} source
 * @param {Set<string>} imported gets the names that the code imports
 * @returns {{ code: string, fault?: undefined } | { code?: undefined, fault: string }} the code, or what is wrong
 */
function sourceOf(source, imported) {
  const [path = '', region] = source.split('#');
  let text;
  try {
    text = readFileSync(join(root, path), 'utf8');
  } catch {
    return { fault: `names ${path}, which does not exist.` };
  }
  if (region === undefined) {
    for (const { names } of importsOf(text)) for (const name of names) imported.add(nameOf(name));
    return { code: text };
  }
  const lines = text.split('\n');
  const [from, second] = lines.flatMap((line, index) =>
    line.trim() === `// #region ${region}` ? [index] : [],
  );
  if (from === undefined) return { fault: `names the region "${region}", which ${path} does not have.` };
  if (second !== undefined) {
    return {
      fault: `names the region "${region}", which ${path} has twice: in lines ${from + 1} and ${second + 1}. Rename one of them.`,
    };
  }
  const to = lines.findIndex((line, index) => index > from && line.trim() === '// #endregion');
  if (to < 0) return { fault: `names the region "${region}" of ${path}, which has no // #endregion.` };
  const body = lines.slice(from + 1, to);
  const indent = Math.min(...body.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  const code = body.map((line) => `${line.slice(indent)}\n`).join('');
  return { code: missingImports(text, code, imported) + code };
}

/**
 * The imports from packages that the code uses and that a page has not shown yet.
 * @param {string} text the whole file
 * @param {string} code the part of it
 * @param {Set<string>} imported gets their names, and those that the code itself imports
 */
function missingImports(text, code, imported) {
  for (const { names } of importsOf(code)) for (const name of names) imported.add(nameOf(name));
  const words = code.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'/gm, '');
  const missing = importsOf(text).flatMap(({ keyword, names, list, from }) => {
    const used = names.filter((name) => {
      const isUsed = new RegExp(`(?<![.\\w$])${nameOf(name)}(?![\\w$])`).test(words);
      return isUsed && !imported.has(nameOf(name)) && !from.startsWith('.');
    });
    for (const name of used) imported.add(nameOf(name));
    if (used.length === 0) return [];
    if (!list) return [`${keyword} ${used[0]} from '${from}';\n`];
    const areTypes = used.every((name) => name.startsWith('type '));
    const shown = areTypes ? used.map((name) => name.slice('type '.length)) : used;
    return [`${areTypes ? 'import type' : keyword} { ${shown.join(', ')} } from '${from}';\n`];
  });
  return missing.length === 0 ? '' : `${missing.join('')}\n`;
}

/**
 * @param {string} text
 * @returns {{ keyword: string, names: string[], list: boolean, from: string }[]}
 */
function importsOf(text) {
  return [...text.matchAll(/^(import(?: type)?) (?:\{([^}]*)\}|([^'{}]+)) from '([^']+)';$/gm)].map(
    ([, keyword = '', list, name = '', from = '']) => ({
      keyword,
      names: (list ?? name).split(',').flatMap((each) => each.trim() || []),
      list: list !== undefined,
      from,
    }),
  );
}

/**
 * What an import is called in the code: `z` for `* as z`, `b` for `type a as b`.
 * @param {string} name
 */
function nameOf(name) {
  return name.split(' ').at(-1) ?? name;
}

/** @param {string} page */
function checkLinks(page) {
  const lines = withoutCode(readFileSync(join(root, page), 'utf8')).split('\n');
  lines.forEach((line, index) => {
    for (const [, link = ''] of line.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      links += 1;
      const [path = '', heading] = link.split('#');
      const target = path === '' ? join(root, page) : join(root, dirname(page), path);
      const leads =
        existsSync(target) &&
        (heading === undefined || headingsOf(readFileSync(target, 'utf8')).has(heading));
      if (!leads) problems.push(`${page}:${index + 1}: the link ${link} leads nowhere.`);
    }
  });
}

/**
 * The ids of a page's headings, as GitHub makes them.
 * @param {string} text
 */
function headingsOf(text) {
  return new Set(
    [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/**
 * Empties the code blocks, whose lines stay.
 * @param {string} text
 */
function withoutCode(text) {
  return text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/.+/g, ''));
}

/** @param {string} example */
async function runExample(example) {
  const { failure, stdout, stderr } = await run(['--conditions=@cueline/source', join(root, example)]);
  if (failure !== undefined) {
    problems.push(`${example}: ended with ${failure}\n${stdout}${stderr}`);
    return;
  }
  const promised = [...readFileSync(join(root, example), 'utf8').matchAll(/\/\/ prints: (.+)$/gm)];
  if (promised.length === 0) problems.push(`${example}: promises no output. Add a line "// prints: …".`);
  for (const [, text = ''] of promised) {
    if (!stdout.includes(text)) problems.push(`${example}: should print "${text}", but printed:\n${stdout}`);
  }
}

/**
 * Runs Node with these arguments, for a minute at most.
 * @param {string[]} args
 * @returns {Promise<{ failure: string | undefined, stdout: string, stderr: string }>}
 */
function run(args) {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, timeout: 60_000 }, (error, stdout, stderr) => {
      const failure = error === null ? undefined : `exit code ${error.code ?? error.signal}`;
      resolve({ failure, stdout, stderr });
    });
  });
}
