import { aConfiguration, exec, git } from '../support/documents/a-configuration.ts'

/** Numbers that look random and are the same in every run. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A whole number from 0 up to, and without, `sides`. */
  roll(sides: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) | 0
    return (this.#state >>> 8) % sides
  }
}

/** The lines of a document of that size, shaped like a configuration: many of them occur often. */
export function documentLines(bytes: number, dice: Dice): string[] {
  const lines: string[] = []
  for (let size = 0; size < bytes; size += lines.at(-1)?.length ?? 0) lines.push(someLine(dice))
  return lines
}

/** The lines with some of them, in a thousand, removed, replaced or followed by a new one. */
export function edited(lines: readonly string[], perMille: number, dice: Dice): string[] {
  return lines.flatMap((line) => {
    if (dice.roll(1000) >= perMille) return [line]
    const kind = dice.roll(3)
    if (kind === 0) return []
    const added = `          <exec command="make" timeout="${dice.roll(1e6)}" />\n`
    return kind === 1 ? [line, added] : [added]
  })
}

function someLine(dice: Dice): string {
  const kind = dice.roll(12)
  if (kind < 3) return '        </job>\n'
  if (kind === 3) return '\n'
  return `          <task id="${dice.roll(1e6)}" name="step-${dice.roll(1000)}" />\n`
}

export const STAGES = [
  { name: 'build', jobs: [jobNamed('compile'), jobNamed('unit')] },
  { name: 'deploy', jobs: [jobNamed('staging')] },
]

function jobNamed(name: string) {
  const tasks = [exec('make', '-j4', name), exec('./scripts/report.sh', '--to', name)]
  return { name, tasks }
}

/** A document with so many pipelines; 10,000 have 13 MB. */
export function documentOf(pipelines: number): string {
  return aConfiguration({
    pipelines: Array.from({ length: pipelines }, (_, n) => {
      const material = git(`https://git.example.org/p-${n}.git`, { autoUpdate: false })
      return { name: `p-${n}`, materials: [material], stages: STAGES }
    }),
  })
}

/** A document of 110 KB. */
export const USUAL = documentOf(85)
