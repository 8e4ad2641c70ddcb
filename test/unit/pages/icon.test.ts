import { describe, expect, it } from 'vitest'
import { colourOfName, ICON_PATHS } from '../../../src/pages/kit/icon.tsx'

const MAX_BYTES = 6 * 1024
const PEOPLE = ['admin', 'astrid', 'bjorn', 'dag', 'ebba', 'gustav', 'lovisa', 'nils']

describe('icons', () => {
  it('are few, and each begins at a place of its own', () => {
    const bytes = Object.entries(ICON_PATHS).join('').length

    expect(bytes).toBeLessThan(MAX_BYTES)
    expect(Object.values(ICON_PATHS).filter((path) => !path.startsWith('M'))).toEqual([])
  })
})

describe('the colour of a person', () => {
  it('stays with the name in any letters, and tells most people apart', () => {
    const colours = new Set(PEOPLE.map(colourOfName))

    expect(colours.size).toBeGreaterThan(PEOPLE.length / 2)
    expect(colourOfName('Ebba')).toBe(colourOfName('ebba'))
  })
})
