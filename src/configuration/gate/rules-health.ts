import { hash } from 'node:crypto'
import { describeFault } from '../../core/faults.ts'
import type { HealthProblem } from '../../core/service/health-problem.ts'
import type { Problem } from '../../core/problem.ts'
import type { Configuration } from '../../document/model/model.ts'
import type { History } from '../../history/history.ts'
import type { FileBeside } from '../../history/revision/prepared-change.ts'
import type { Log } from '../../lib/log.ts'
import { RetryLoop } from '../../lib/retry.ts'
import type { ConfiguredAccess } from '../access/access.ts'
import type { CurrentConfiguration } from '../current/current-configuration.ts'
import type { Gate } from './gate.ts'
import { readRules, type RulesReading } from './rules/read-rules.ts'
import { RULES_FILE } from './rules-source.ts'
import { knownNamesIn, problemsOfRules } from './sound-rules.ts'
import { written } from '../../document/model/written-part.ts'

export interface RulesHealthDeps {
  readonly history: History
  readonly configuration: CurrentConfiguration
  readonly access: Pick<ConfiguredAccess, 'onChange' | 'usernames' | 'knowsEveryone'>
  readonly gate: Gate
  readonly log: Log
}

const PAUSES = { fromMs: 1_000, toMs: 60_000 }
const SUBJECT = `The rules in ${RULES_FILE} do not fit the configuration and the users as they are now`
const NOT_READ = 'The rules could not be compared with the users'

/**
 * The faults of the rules that hold, by the configuration and the users of now: people leave, and roles
 * and groups change. They are looked for when one of the three changes, and never by a request.
 */
export class RulesHealth implements AsyncDisposable {
  readonly #deps: RulesHealthDeps
  readonly #loop: RetryLoop
  readonly #unlisten: readonly (() => void)[]
  #compared = ''
  #faults: readonly Problem[] = []
  /** The newest version of the file: most saves do not change it, and reading fifty rules takes longer than a save. */
  #read: { readonly oid: string; readonly reading: RulesReading } | null = null

  constructor(deps: RulesHealthDeps) {
    this.#deps = deps
    this.#loop = new RetryLoop({
      round: () => this.#compare(),
      pauses: PAUSES,
      problemOf: describeFault,
      report: (problem, error) => {
        if (problem !== null) deps.log({ level: 'warning', message: NOT_READ, facts: { error } })
      },
    })
    this.#unlisten = [
      deps.history.onRevision(() => this.#loop.wake()),
      deps.access.onChange(() => this.#loop.wake()),
    ]
  }

  problems(): readonly HealthProblem[] {
    return this.#faults.length === 0 ? [] : [{ subject: SUBJECT, errors: this.#faults }]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten()
    await this.#loop[Symbol.asyncDispose]()
  }

  async #compare(): Promise<void> {
    const { history, configuration, access, gate } = this.#deps
    const file = await history.findBeside(history.current().commit, RULES_FILE)
    const { configuration: current } = configuration.read()
    const compared = file === null ? '' : `${file.oid} ${peopleAndRightsIn(current, access)}`
    if (compared === this.#compared) return
    const reading = file && (await this.#readingOf(file))
    this.#faults = []
    if (reading !== null) {
      const people = gate.peopleIn({ configuration: current })
      this.#faults = problemsOfRules(reading, knownNamesIn(current, people))
    }
    this.#compared = compared
  }

  async #readingOf(file: FileBeside): Promise<RulesReading | null> {
    if (this.#read?.oid === file.oid) return this.#read.reading
    const bytes = await file.read()
    if (bytes === null) return null
    this.#read = { oid: file.oid, reading: readRules(bytes) }
    return this.#read.reading
  }
}

/** All that the faults of rules hang on: most saves leave it as it is. */
function peopleAndRightsIn(
  { server, groups, templates }: Configuration,
  access: Pick<ConfiguredAccess, 'usernames' | 'knowsEveryone'>,
): string {
  const parts = [...groups, ...templates].map(({ name, authorization }) => [name, authorization])
  const people = [access.usernames(), access.knowsEveryone()]
  return hash('sha256', written([server?.security, parts, people]))
}
