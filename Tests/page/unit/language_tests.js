// The sentences of the page, of messages and of Home Assistant's names, and their translations. Runs in the folder of the repository.

import { test } from 'node:test';
import { deepEqual, equal } from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { firstKnown, plural, localized, translated } from './language.js';

const ASSETS = 'Sources/CPage/Assets';
const read = (path) => readFileSync(path, 'utf8');
const filesOf = (folder, ending) => readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(ending)).map((name) => `${folder}/${name}`);
const withoutComments = (text) => text.replace(/^\s*\/\/.*$/gm, '');
// Names that look like a sentence.
const NAMES = ['Mac OS', 'Radius Networks'];

const scripts = filesOf(ASSETS, '.js').filter((path) => !path.endsWith('/language.js')).map((path) => [path, withoutComments(read(path))]);
const sources = filesOf('Sources', '.swift').map((path) => [path, withoutComments(read(path))]);

// All literals of calls, by the source that has them; calls with anything else, such as a sum of two literals, are problems.
const sentences = new Map();
const problems = [];
const collect = (path, text, call, literals) => {
  for (const { index } of text.matchAll(call)) {
    const found = literals.exec(text.slice(index));
    if (found) for (const one of found.slice(1).filter((part) => part !== undefined)) sentences.set(one, path);
    else problems.push(`${path}: ${text.slice(index).split('\n')[0]}`);
  }
};
const JS = "'((?:[^'\\\\]|\\\\.)*)'";
const SWIFT = `"((?:[^"\\\\]|\\\\[^(])*)"`;
for (const [path, text] of scripts) {
  collect(path, text, /\blocalized\(/g, new RegExp(`^localized\\(\\s*${JS}\\s*[,)]`));
  collect(path, text, /\bplural\(/g, new RegExp(`^plural\\([^']*, ${JS}, ${JS}[,)]`));
}
for (const [path, text] of sources) {
  // Entities have their sentences as `name:`.
  if (path.includes('/HomeAssistant/')) {
    for (const [, names] of text.matchAll(/\bname: ((?:\w+ \? )?"[^\n]*)/g)) {
      for (const [, name] of names.split(/[,)]/)[0].matchAll(new RegExp(SWIFT, 'g'))) if (name && name !== 'Forgetmenot') sentences.set(name, path);
    }
  }
  if (!path.endsWith('/HomeAssistant/Entity.swift')) collect(path, text, /(?<=\.)localized\(/g, new RegExp(`^localized\\(\\s*${SWIFT}\\s*[,)]`));
}
for (const [, label, text] of read(`${ASSETS}/index.html`).matchAll(/<[^>]*?(?:aria-label="([^"]*)" data-localized|data-localized)>([^<]*)/g)) sentences.set(label ?? text, 'index.html');

const placeholders = (text) => (text.match(/\{\w+\}/g) ?? []).sort().join(' ');

test('each sentence that is translated is one literal, so that the files of languages can be compared with the code', () => {
  deepEqual(problems, []);
  equal(sentences.size > 400, true);
});

test('no sentence of the page is written without being translated', () => {
  const bare = scripts.flatMap(([path, text]) => [...text.matchAll(/(?<!\blocalized\(\s*|\bplural\([^']*, |\bplural\([^']*'[^']*', )(['`])([A-Z][a-z]+[ ,?][^'`\n]*|[^'`\n]* [^'`\n]*[a-z][.?…])\1/g)]
    .filter(([, , literal]) => !NAMES.includes(literal)).map(([literal]) => `${path}: ${literal}`));
  deepEqual(bare, []);
});

for (const file of filesOf(ASSETS, '.json').filter((path) => path.includes('/language-'))) {
  const table = JSON.parse(read(file));
  test(`${file.split('/').at(-1)} has each sentence, with its placeholders, and no other`, () => {
    deepEqual([...sentences].filter(([sentence]) => !table[sentence]).map(([sentence, path]) => `missing, of ${path}: ${sentence}`), []);
    deepEqual(Object.keys(table).filter((sentence) => !sentences.has(sentence)).map((sentence) => `not in the code any more: ${sentence}`), []);
    deepEqual(Object.entries(table).filter(([sentence, translation]) => placeholders(sentence) !== placeholders(translation)).map(([sentence]) => `other placeholders: ${sentence}`), []);
  });
}

test('a sentence is translated with its values, and English where the table does not have it', () => {
  const table = { '{item} is in {room}': 'In {room} ist {item}' };
  equal(translated(table, '{item} is in {room}', { item: 'Uhr {room}', room: 'Bad' }), 'In Bad ist Uhr {room}');
  equal(translated(table, '{item} has left.', { item: 'Uhr' }), 'Uhr has left.');
  deepEqual([translated({}, 'now'), translated({}, '{x}', {}), translated({}, '{x}', { x: 0 })], ['now', '{x}', '0']);
});

test('the language is the first that is known, whatever its region, and English otherwise', () => {
  deepEqual([['', 'de-AT', 'en'], ['en', 'de'], ['xx', 'de'], ['xx'], []].map(firstKnown), ['de-AT', 'en', 'de', 'en', 'en']);
});

test('a number chooses one of two sentences', () => {
  deepEqual([0, 1, 2].map((number) => plural(number, '1 item', '{count} items')), ['0 items', '1 item', '2 items']);
  equal(localized('{items} in {room}.', { items: '2 items', room: 'Hall' }), '2 items in Hall.');
});
