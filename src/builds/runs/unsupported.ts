import type { HealthProblem } from '../../core/health-problem.ts'
import type { ConfigDocument } from '../../document/document.ts'
import { expandConfiguration } from '../../document/effective/effective.ts'
import type { Configuration } from '../../document/model/model.ts'
import type { UnsupportedPart } from '../../document/unsupported/unsupported-part.ts'
import { UnsupportedParts } from '../../document/unsupported/unsupported-parts.ts'
import { elementFinder } from '../../document/xml/xml-elements.ts'
import type { Position } from '../../document/text/line-index.ts'
import { type CooperativeWork, runCooperatively } from '../../lib/cooperative.ts'
import { memoize } from '../../lib/memoize.ts'
import type { Secrets } from '../assignment/secrets.ts'
import type { EffectivePipelines } from './effective-pipelines.ts'

/** A part that will not run here, with its place in the document. */
export interface WillNotRun extends Omit<UnsupportedPart, 'at'> {
  readonly at: Position
}

/** The limit of pipelines with a problem of their own; above it, only the number is reported. */
const MAX_PIPELINES = 100

export interface UnsupportedOptions {
  readonly pipelines: Pick<EffectivePipelines, 'configuration' | 'find'>
  readonly secrets: Secrets
}

/** The parts of the configuration that have no effect. */
export class Unsupported {
  readonly #options: UnsupportedOptions
  readonly #parts: UnsupportedParts
  readonly #problemsOf: (configuration: Configuration) => readonly HealthProblem[]

  constructor(options: UnsupportedOptions) {
    this.#options = options
    this.#parts = new UnsupportedParts((sealed) => options.secrets.open(sealed))
    this.#problemsOf = memoize((configuration) => this.#findProblems(configuration))
  }

  /**
   * The parts of a pipeline of the current configuration, each a sentence without its full stop.
   */
  ofPipeline(name: string): readonly string[] {
    const { configuration } = this.#options.pipelines
    const pipeline = this.#options.pipelines.find(name)?.pipeline
    return pipeline ? this.#parts.ofPipeline(pipeline, configuration).map(sentenceOf) : []
  }

  /** The parts of the current configuration, by pipeline. */
  problems(): readonly HealthProblem[] {
    return this.#problemsOf(this.#options.pipelines.configuration)
  }

  /** The parts of a document, in the order of its pipelines. */
  listIn(document: ConfigDocument): Promise<readonly WillNotRun[]> {
    return runCooperatively(this.#listInSteps(document))
  }

  *#listInSteps({
    root,
    lines,
    configuration: written,
  }: ConfigDocument): CooperativeWork<readonly WillNotRun[]> {
    const { configuration } = yield* expandConfiguration(written)
    const elementAt = elementFinder(root)
    const found: WillNotRun[] = []
    for (const parts of this.#parts.in(configuration)) {
      for (const { entity, at, what, because } of parts) {
        const { line, column } = lines.positionOf(elementAt(at).span.start)
        found.push({ entity, at: { line, column }, what, because })
      }
      yield
    }
    return found
  }

  #findProblems(configuration: Configuration): readonly HealthProblem[] {
    const [outside = [], ...inPipelines] = [...this.#parts.in(configuration)]
    const having = inPipelines.filter((parts) => parts.length > 0)
    const named = having.slice(0, MAX_PIPELINES).map(problemOfPipeline)
    const more = having.length - named.length
    const general = 'The configuration has parts that nobody here acts on'
    return [
      ...(outside.length > 0 ? [{ subject: general, errors: errorsOf(outside) }] : []),
      ...named,
      ...(more > 0
        ? [{ subject: `${more} more pipelines have parts that nobody here acts on`, errors: [] }]
        : []),
    ]
  }
}

function problemOfPipeline(parts: readonly UnsupportedPart[]): HealthProblem {
  const name = parts[0]?.entity.replace(/^pipeline\//, '') ?? ''
  const subject = `The pipeline ${name} has parts that nobody here acts on`
  return { subject, errors: errorsOf(parts), pipelines: [name] }
}

function errorsOf(parts: readonly UnsupportedPart[]) {
  return [...new Set(parts.map(sentenceOf))].map((message) => ({ message }))
}

function sentenceOf({ what, because }: UnsupportedPart): string {
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}: ${because}`
}
