import type { Reporter, TestModule } from 'vitest/node'
import type { Program } from './programs.ts'

interface Output {
  readonly write: (text: string) => void
  /** Whether a run without one of the programs has failed. */
  readonly mustHaveAll: boolean
}

/** Ends a run with the programs that were missing, and how many tests each would have run. */
export class MissingProgramsReporter implements Reporter {
  readonly #missing: readonly Program[]
  readonly #output: Output

  constructor(missing: readonly Program[], output: Output) {
    this.#missing = missing
    this.#output = output
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    const lines = this.#missing.flatMap(({ name, package: debian }) => {
      const count = skipped.filter(({ tags }) => tags.includes(name)).length
      if (count === 0) return []
      const tests = count === 1 ? '1 test' : `${count} tests`
      return [`${name} is missing: ${tests} skipped (Debian package ${debian})\n`]
    })
    if (lines.length === 0) return
    if (this.#output.mustHaveAll) process.exitCode = 1
    this.#output.write(`\n${lines.join('')}`)
  }
}
