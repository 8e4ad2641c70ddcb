import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const SHEET = readFileSync(
  new URL('../../../src/pages/kit/styles/tokens.css', import.meta.url),
  'utf8',
)

type Colours = ReadonlyMap<string, string>

/** The colours that the blocks of the style sheet give, a later one over an earlier one. */
function coloursOf(isDark: boolean, isColourBlind: boolean): Colours {
  const blocks = [...SHEET.matchAll(/(:root[^{]*)\{([^}]*)\}/g)].filter(([, selector = '']) => {
    return isColourBlind || !selector.includes('colour-blind')
  })
  const pattern = /--([\w-]+):\s*(?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));/g
  return new Map(
    blocks.flatMap(([, , body = '']) =>
      Array.from(body.matchAll(pattern), ([, name = '', light = '', dark = '', both]) => {
        return [name, both ?? (isDark ? dark : light)] as const
      }),
    ),
  )
}

/** WCAG 2: from 1 for the same colour to 21 for black on white. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const LINES = ['bg', 'panel', 'added-line', 'removed-line', 'target']
const WORDS = ['added-word', 'removed-word']
const PLAIN = ['bg', 'canvas', 'panel', 'hover', 'selected']

/** The backgrounds of each text. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  text: [...LINES, ...WORDS, ...PLAIN],
  tag: [...LINES, ...WORDS],
  attribute: [...LINES, ...WORDS],
  value: [...LINES, ...WORDS],
  // A comment takes the colour of the text where a word of it is marked.
  comment: LINES,
  muted: [...PLAIN, 'added-gutter', 'removed-gutter', 'target'],
  link: PLAIN,
  ok: ['bg', 'canvas', 'panel'],
  bad: ['bg', 'canvas', 'panel'],
  'added-text': ['bg', 'panel', 'selected', 'added-line', 'added-gutter'],
  'removed-text': ['bg', 'panel', 'selected', 'removed-line', 'removed-gutter'],
  'changed-text': ['changed-bg'],
  'renamed-text': ['renamed-bg'],
  'on-accent': ['accent'],
  bg: ['text'],
}

/**
 * Shapes that only have to be discernible: the borders of controls, and the ring around the focus.
 */
const SHAPES: Readonly<Record<string, readonly string[]>> = {
  control: ['bg', 'canvas', 'panel'],
  accent: ['bg', 'canvas', 'panel'],
}

function tooFaint(
  colours: Colours,
  pairs: Readonly<Record<string, readonly string[]>>,
  least: number,
): string[] {
  return Object.entries(pairs).flatMap(([front, backs]) =>
    backs.flatMap((back) => {
      const ratio = contrast(colours.get(front) ?? '', colours.get(back) ?? '')
      return ratio >= least ? [] : [`${front} on ${back}: ${ratio.toFixed(2)}`]
    }),
  )
}

describe('the colours of the pages', () => {
  it.each([
    ['light', false, false],
    ['dark', true, false],
    ['light, colour-blind', false, true],
    ['dark, colour-blind', true, true],
  ])('can be read: %s', (_, isDark, isColourBlind) => {
    const colours = coloursOf(isDark, isColourBlind)

    expect(tooFaint(colours, TEXTS, 4.5)).toEqual([])
    expect(tooFaint(colours, SHAPES, 3)).toEqual([])
  })

  it('are four different sets', () => {
    const sets = [false, true].flatMap((isDark) =>
      [false, true].map((isBlind) => [...coloursOf(isDark, isBlind).values()].join()),
    )

    expect(new Set(sets).size).toBe(4)
    expect(coloursOf(true, true).get('added-line')).toBe('#0f2440')
  })
})
