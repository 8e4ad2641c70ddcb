import { describe, expect, it } from 'vitest'
import { faultOfSubject, faultsOfSource } from '../../../scripts/language.ts'

const messagesIn = (text: string) => faultsOfSource(text).map(({ message }) => message)

describe('the language of a source file', () => {
  const pronouns = [
    'What',
    'Who',
    'Whoever',
    'Whom',
    'Whose',
    'Which',
    'Somebody',
    'Nothing',
    'Those',
  ]
  it.each(pronouns)('begins no comment with "%s"', (word) => {
    const comments = [
      `/** ${word} waits. */`,
      `/**\n * ${word} waits.\n */`,
      `  /** ${word} waits. */`,
    ]
    for (const comment of comments) {
      expect(messagesIn(`${comment}\nconst waiting = 1\n`)).toEqual([
        `a comment begins with "${word}", not with a noun or a verb`,
      ])
    }
  })

  it('begins comments with nouns, verbs and "Whether"', () => {
    const comments = [
      '/** Whether it waits. */',
      '/** Returns what waits. */',
      '/** A whole one. */',
    ]
    expect(messagesIn(comments.join('\nexport const a = 1\n'))).toEqual([])
  })

  it('names each fault by its line', () => {
    const text = 'const a = 1\n\n/** What waits. */\nconst b = 2\nexport const MOST = 3\n'
    expect(faultsOfSource(text).map(({ line }) => line)).toEqual([3, 5])
  })

  it.each([
    ['MOST_LINES', 'MAX_… or MIN_…'],
    ['LONGEST', 'MAX_… or MIN_…'],
    ['LARGEST_FORM', 'MAX_… or MIN_…'],
    ['SHORTEST_POLL', 'MAX_… or MIN_…'],
    ['LINES_AT_MOST', 'MAX_… or MIN_…'],
    ['PATIENCE', '…_TIMEOUT_MS'],
    ['KEPT', 'MAX_… or RETAINED_…'],
    ['LOOK_EVERY', '…_INTERVAL_MS'],
  ])('names no constant %s', (name, wanted) => {
    const message = `the constant ${name} is to be named ${wanted}`
    for (const text of [
      `const ${name} = 5`,
      `export const ${name} = 5`,
      `  const ${name} = new Map()`,
    ])
      expect(messagesIn(text)).toEqual([message])
  })

  it.each([
    '/** Milliseconds until it ends. */\nconst END = 5_000',
    '/**\n * How long it waits, in\n * milliseconds.\n */\nexport const END = 5 * 1_000',
    'const MINUTE = 60_000',
    'const POLL_INTERVAL = 500',
    'const END = 3 * HOUR_MS',
    'const END = 50\nsetTimeout(() => stop(), END)',
    'const END = 50\nawait pause(END)',
    'const END = 50\nconst until = performance.now() + END',
  ])('tells milliseconds by the name of the constant: %s', (text) => {
    expect(messagesIn(text)).toEqual([
      expect.stringMatching(/^the constant \w+ is to be named …_MS$/),
    ])
    expect(messagesIn(text.replaceAll(/\b(END|MINUTE|POLL_INTERVAL)\b/g, '$1_MS'))).toEqual([])
  })

  it('leaves other constants alone', () => {
    const lines = [
      'MAX_LINES = 5',
      'TIMEOUT_SECONDS = 5',
      'ON_EVERY_SERVER = 5',
      'WAIT = { timeout: 5 }',
    ]
    expect(messagesIn(lines.map((line) => `const ${line}\n`).join(''))).toEqual([])
    expect(messagesIn('/** Rows that take some milliseconds. */\nconst ROWS = 1_000')).toEqual([])
  })
})

describe('the subject of a commit', () => {
  it.each([
    'git: read the numbers of packs in one place',
    'builds, agents: need a key before anything else',
    'Process waiting jobs',
    'storage: bring a draft back',
    'cluster: focus on the lease',
    'tests: seed each case',
    'history: discuss resets',
    'project: release 1.2.0',
  ])('is an imperative: %s', (subject) => {
    expect(faultOfSubject(subject)).toBeNull()
  })

  it.each([
    ['a revision that was read stays known', 'begins with "a", not with an imperative'],
    ['git: the numbers of packs', 'begins with "the", not with an imperative'],
    ['changelog: says what changed', 'begins with "says", not with an imperative'],
    ['house: settings have a room', 'begins with "settings", not with an imperative'],
    ['history: compressed before the lock', 'begins with "compressed", not with an imperative'],
    ['history: compressing before the lock', 'begins with "compressing", not with an imperative'],
    [`git: ${'read '.repeat(14)}`, 'is longer than 72 characters (75)'],
  ])('is none: %s', (subject, fault) => {
    expect(faultOfSubject(subject)).toBe(fault)
  })
})
