import type { Access } from '../../configuration/access/permission.ts'
import type { CurrentConfiguration } from '../../configuration/current/current-configuration.ts'
import type { HealthProblem } from '../../core/service/health-problem.ts'
import type { Principal } from '../../core/principal.ts'
import type { ConfigDocument } from '../../document/document.ts'
import { expandConfiguration } from '../../document/effective/effective.ts'
import type { Configuration } from '../../document/model/model.ts'
import type { UnsupportedPart } from '../../document/unsupported/unsupported-part.ts'
import { UnsupportedParts } from '../../document/unsupported/unsupported-parts.ts'
import { elementFinder } from '../../document/xml/xml-elements.ts'
import type { Position } from '../../document/text/line-index.ts'
import type { Clock } from '../../lib/clock.ts'
import { type CooperativeWork, runCooperatively } from '../../lib/cooperative.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { plural } from '../../lib/plural.ts'
import type { ConfigurationSecrets } from '../assignment/configuration-secrets.ts'
import type { EffectivePipelines } from './effective-pipelines.ts'
import { capitalised } from '../../lib/texts.ts'

/** A part that will not run here, with its place in the document. */
export interface WillNotRun extends Omit<UnsupportedPart, 'at'> {
  readonly at: Position
}

const PIPELINE = 'pipeline/'
/** The limit of pipelines with a problem of their own; above it, only the number is reported. */
const MAX_PIPELINES = 100
/** The most pipelines that are looked at without a pause. */
const MAX_AT_ONCE = 1_000
/** The time for which problems are kept: files with secrets come and go, and every page shows the problems. */
const RETENTION_MS = 5_000

export interface UnsupportedOptions {
  readonly pipelines: Pick<EffectivePipelines, 'configuration' | 'find'>
  readonly secrets: Pick<ConfigurationSecrets, 'open' | 'places'>
  readonly clock: Clock
  readonly log: Log
}

export interface WillNotRunDeps {
  readonly access: Access
  readonly configuration: Pick<CurrentConfiguration, 'read'>
  readonly unsupported: Pick<Unsupported, 'listIn'>
}

/** A look at the whole of a configuration. */
interface Look {
  readonly of: Configuration
  readonly begunAt: number
}

/** The parts of the configuration that have no effect. */
export class Unsupported {
  readonly #options: UnsupportedOptions
  readonly #parts: UnsupportedParts
  #look: Look | null = null
  #looking: Promise<void> = Promise.resolve()
  #problems: readonly HealthProblem[] = []

  constructor(options: UnsupportedOptions) {
    this.#options = options
    this.#parts = new UnsupportedParts(options.secrets.open, options.secrets.places ?? undefined)
  }

  /**
   * The parts of a pipeline of the current configuration, each a sentence without its full stop.
   */
  ofPipeline(name: string): readonly string[] {
    const { configuration } = this.#options.pipelines
    const found = this.#options.pipelines.find(name)
    if (!found) return []
    return this.#parts.ofPipeline(found.pipeline, found.group, configuration).map(sentenceOf)
  }

  /**
   * The parts of the current configuration, by pipeline. One of many pipelines is looked at in time
   * slices, and the parts of the one before are given until that is done.
   */
  problems(): readonly HealthProblem[] {
    const { pipelines, clock, secrets } = this.#options
    const of = pipelines.configuration
    const begunAt = clock()
    const last = this.#look?.of === of ? this.#look : null
    const isOver = secrets.places !== null && begunAt - (last?.begunAt ?? 0) >= RETENTION_MS
    if (last === null || isOver) this.#lookAt({ of, begunAt })
    return this.#problems
  }

  /** Resolves when all of the current configuration has been looked at. */
  async settle(): Promise<void> {
    this.problems()
    await this.#looking
  }

  /** The parts of a document, in the order of its pipelines. */
  listIn(document: ConfigDocument): Promise<readonly WillNotRun[]> {
    return runCooperatively(willNotRunIn(document, this.#parts))
  }

  #lookAt(look: Look): void {
    this.#look = look
    const finding = this.#findProblems(look.of)
    let step = finding.next()
    for (let n = 0; !step.done && n < MAX_AT_ONCE; n += 1) step = finding.next()
    if (step.done) {
      this.#problems = step.value
      return
    }
    this.#looking = runCooperatively(finding).then((problems) => {
      if (this.#look === look) this.#problems = problems
    })
    inBackground(this.#options.log, 'The configuration could not be looked at', this.#looking)
  }

  *#findProblems(configuration: Configuration): Generator<void, readonly HealthProblem[]> {
    const found: (readonly UnsupportedPart[])[] = []
    for (const parts of this.#parts.in(configuration)) {
      found.push(parts)
      yield
    }
    const [outside = [], ...inPipelines] = found
    const having = inPipelines.filter((parts) => parts.length > 0)
    const named = having.slice(0, MAX_PIPELINES).map(problemOfPipeline)
    const more = having.length - named.length
    const general = 'The configuration has parts that nobody here acts on'
    return [
      ...(outside.length > 0 ? [{ subject: general, errors: errorsOf(outside) }] : []),
      ...named,
      ...(more > 0
        ? [
            {
              subject: `${more} more ${plural(more, 'pipeline has', 'pipelines have')} parts that nobody here acts on`,
              errors: [],
            },
          ]
        : []),
    ]
  }
}

/**
 * Lists the parts of the current configuration that will not run here: those of pipelines that the caller may view, and
 * for administrators all.
 */
export async function readWillNotRun(
  { access, configuration, unsupported }: WillNotRunDeps,
  principal: Principal,
): Promise<readonly WillNotRun[]> {
  const isAdministrator = access.may(principal, { action: 'administer' })
  const mayView = (entity: string) => {
    const pipeline = pipelineOf(entity)
    return pipeline !== null && access.may(principal, { action: 'view-pipeline', pipeline })
  }
  const parts = await unsupported.listIn(configuration.read())
  return isAdministrator ? parts : parts.filter(({ entity }) => mayView(entity))
}

/** Lists the parts of a document that will not run here, in the order of its pipelines. */
export function* willNotRunIn(
  { root, lines, configuration: written }: ConfigDocument,
  finder: UnsupportedParts,
): CooperativeWork<readonly WillNotRun[]> {
  const { configuration } = yield* expandConfiguration(written)
  const elementAt = elementFinder(root)
  const found: WillNotRun[] = []
  for (const parts of finder.in(configuration)) {
    for (const { entity, at, what, because } of parts) {
      const { line, column } = lines.positionOf(elementAt(at).span.start)
      found.push({ entity, at: { line, column }, what, because })
    }
    yield
  }
  return found
}

function problemOfPipeline(parts: readonly UnsupportedPart[]): HealthProblem {
  const name = pipelineOf(parts[0]?.entity ?? '') ?? ''
  const subject = `The pipeline ${name} has parts that nobody here acts on`
  return { subject, errors: errorsOf(parts), pipelines: [name] }
}

/** The name of the pipeline that an entity is, or null for another. */
function pipelineOf(entity: string): string | null {
  return entity.startsWith(PIPELINE) ? entity.slice(PIPELINE.length) : null
}

function errorsOf(parts: readonly UnsupportedPart[]) {
  return [...new Set(parts.map(sentenceOf))].map((message) => ({ message }))
}

function sentenceOf({ what, because }: UnsupportedPart): string {
  return `${capitalised(what)}: ${because}`
}
