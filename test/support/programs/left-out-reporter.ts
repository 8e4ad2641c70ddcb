import { createTagsFilter } from '@vitest/runner/utils'
import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node'
import type { Program } from './programs.ts'

interface Output {
  readonly write: (text: string) => void
  /** Whether a run without one of the programs has failed. */
  readonly mustHaveAll: boolean
}

/** Ends a run with the tests that it left out: those of missing programs, and those of the other step. */
export class LeftOutReporter implements Reporter {
  readonly #missing: readonly Program[]
  readonly #output: Output
  #isOfThisStep: (tags: string[]) => boolean = () => true
  #files = 0

  constructor(missing: readonly Program[], output: Output) {
    this.#missing = missing
    this.#output = output
  }

  onInit({ config }: Vitest): void {
    this.#isOfThisStep = createTagsFilter(config.tagsFilter ?? [], config.tags)
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.#files = files.length
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    const here = skipped.filter(({ tags }) => this.#isOfThisStep([...tags]))
    const missing = this.#missing.flatMap(({ name, package: debian }) => {
      const tests = counted(here.filter(({ tags }) => tags.includes(name)).length, 'test')
      if (tests === null) return []
      return [`${name} is missing: ${tests} skipped (Debian package ${debian})\n`]
    })
    if (missing.length > 0 && this.#output.mustHaveAll) process.exitCode = 1
    const others = [
      counted(skipped.length - here.length, 'test'),
      counted(this.#files - modules.length, 'whole file'),
    ].filter((some) => some !== null)
    const left =
      others.length > 0
        ? [`${others.join(' and ')} left to the other step: npm run test:all\n`]
        : []
    const lines = [...missing, ...left]
    if (lines.length > 0) this.#output.write(`\n${lines.join('')}`)
  }
}

function counted(count: number, noun: string): string | null {
  if (count === 0) return null
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
