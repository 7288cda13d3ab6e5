// Sentences in the language of the reader. The English sentence is the key; the file of another language has its translation.

// What each language calls itself, and its sentences as the server sends them: those of the first view, and the others.
export const LANGUAGES = { en: ['English'], de: ['Deutsch', './language-de.json', './language-de-more.json'] };
const KEY = 'forgetmenot.language';

// The first of these tags, such as "de-AT", whose language has a file; English otherwise.
export const firstKnown = (tags) => tags.find((tag) => tag.split('-')[0] in LANGUAGES) ?? 'en';

// The sentence of a table with the values of its placeholders. A sentence that the table does not have is English.
export function translated(table, sentence, values) {
  return (table[sentence] ?? sentence).replace(/\{(\w+)\}/g, (placeholder, name) => values?.[name] ?? placeholder);
}

// The language that somebody chose for this page; empty: that of the browser. A browser may forbid to store anything.
export function chosenLanguage() {
  try { return localStorage.getItem(KEY) ?? ''; } catch { return ''; }
}
export function chooseLanguage(language) {
  try { localStorage.setItem(KEY, language); } catch { /* It stays the browser's. */ }
  location.reload();
}

// A test has no page, and is English.
const tag = typeof document === 'undefined' ? 'en' : firstKnown([chosenLanguage(), ...navigator.languages]);
export const language = tag.split('-')[0];
// How times and numbers are written.
export const locale = language === 'en' ? 'en-GB' : tag;
// The worker cannot read what somebody chose: its address has the language.
export const worker = language === 'en' ? 'worker.js' : `worker.js?language=${language}`;

const [, first, others] = LANGUAGES[language];
// Whoever cannot load the file reads English.
const table = await load(first).catch(() => ({}));
let more;
// The sentences of what is not in the first view: before it is loaded. What failed is tried again with the next view.
export const loadMore = () => (more ??= load(others).then((rest) => Object.assign(table, rest), (problem) => {
  more = undefined;
  throw problem;
}));

async function load(file) {
  if (!file) return {};
  const response = await fetch(new URL(file, import.meta.url));
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return response.json();
}

// The sentence in the reader's language. It is a literal: a test compares all of them with the files.
export const localized = (sentence, values) => translated(table, sentence, values);
// One of two sentences, by a number that they call {count}.
export const plural = (count, one, many, values) => localized(count === 1 ? one : many, { count, ...values });

// Translates what stands in index.html: each text or label with the mark `data-localized`.
export function translateShell() {
  if (first && Object.keys(table).length === 0) return;
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll('[data-localized]')) {
    const label = element.getAttribute('aria-label');
    if (label) element.setAttribute('aria-label', translated(table, label));
    else element.textContent = translated(table, element.textContent);
  }
}
