// Prints each import of our modules whose name is not exported, or is not used. `Tests/page/lint` runs this.

import { readFileSync, readdirSync } from 'node:fs';

const folder = process.argv[2];
const texts = new Map(readdirSync(folder).filter((name) => name.endsWith('.js')).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]));
const exported = (text) => new Set([...text.matchAll(/^export (?:async )?(?:const|let|function|class) ([\w$]+)/gm)].map((found) => found[1]));
const problems = [];
for (const [name, text] of texts) {
  for (const [statement, names, from] of text.matchAll(/^import \{([^}]*)\} from '\.\/([\w.]+)';$/gm)) {
    const known = texts.has(from) ? exported(texts.get(from)) : new Set();
    const rest = text.replace(statement, '').replace(/^\s*\/\/.*$/gm, '');
    for (const one of names.split(',').map((part) => part.trim()).filter(Boolean)) {
      if (!known.has(one)) problems.push(`${name}: ${from} does not export ${one}`);
      else if (!new RegExp(`\\b${one}\\b`).test(rest)) problems.push(`${name}: does not use ${one} of ${from}`);
    }
  }
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length ? 1 : 0;
