import type { DocumentCache } from '../../configuration/current/document-cache.ts'
import type { EntityRenames } from '../../document/compare/compare-entities.ts'
import { expandConfiguration } from '../../document/effective/effective.ts'
import { foldEntity } from '../../document/entities/entities.ts'
import type { Configuration } from '../../document/model/model.ts'
import { ServiceError } from '../../core/errors.ts'
import { isSameName } from '../../core/name-key.ts'
import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import { AssignmentRefusal } from '../assignment/secrets.ts'
import { type PlacedPipeline, withSecretsOfNow } from '../assignment/secrets-of-now.ts'
import type { RunConfiguration } from '../engine/documents.ts'
import type { FormerPlan } from '../engine/plan.ts'
import type { EffectivePipelines } from './effective-pipelines.ts'
import { pipelinePlanOf } from './plans.ts'

export interface FormerPipelinesOptions {
  readonly history: History
  readonly cache: DocumentCache
  readonly entities: { renamesBetween(before: Revision, after: Revision): EntityRenames }
  readonly pipelines: EffectivePipelines
}

/** A pipeline as an earlier configuration has it, with the secrets of now. */
export interface FormerPipeline extends PlacedPipeline {
  readonly plan: FormerPlan
  /** The group that it was in then. */
  readonly group: string
  /** As in the server element of then. */
  readonly jobTimeout: number | null
}

/**
 * Reads pipelines as they were configured in earlier revisions, for runs that are to be made from
 * them. Only pipelines that are still configured are read, under the names that they had then.
 */
export class FormerPipelines {
  readonly #options: FormerPipelinesOptions

  constructor(options: FormerPipelinesOptions) {
    this.#options = options
  }

  /**
   * A pipeline by its name of now.
   *
   * @param assertMayRead Called with the group that it was in, before anything is said of the pipeline of then.
   * @throws {AssignmentRefusal} when it cannot be made from that configuration: its document is gone
   * or not valid any more, it had no such pipeline, or the pipeline had secrets that are gone.
   */
  async read(
    by: RunConfiguration,
    name: string,
    assertMayRead: (group: string) => void = () => {},
  ): Promise<FormerPipeline> {
    const { history, pipelines, entities } = this.#options
    const now = pipelines.find(name)
    if (!now) throw new AssignmentRefusal(`The configuration has no pipeline ${name} any more`)
    const revision = await history.findCommitEver(by.commit)
    if (!revision)
      throw new AssignmentRefusal(`The revision ${by.commit} is no longer in the history`)
    const configuration = await this.#expanded(revision)
    const renames = entities.renamesBetween(revision, pipelines.revision)
    const former = formerNameOf(now.pipeline.name, renames)
    const found = findPipeline(configuration, former)
    if (!found) {
      const message = `The configuration ${nameOf(history, revision)} has no pipeline ${former}`
      throw new AssignmentRefusal(message)
    }
    assertMayRead(found.group)
    const renamed = { ...found.pipeline, name: now.pipeline.name }
    const environments = configuration.environments.filter((environment) =>
      environment.pipelines.some((each) => isSameName(each.name, former)),
    )
    const current = { ...now, environments: pipelines.environmentsOf(name) }
    return {
      ...withSecretsOfNow({ pipeline: renamed, environments }, current),
      plan: {
        configuration: by,
        plan: pipelinePlanOf({ group: now.group, pipeline: renamed }),
        environments: environments.map((environment) => environment.name),
      },
      group: found.group,
      jobTimeout: configuration.server?.jobTimeout ?? null,
    }
  }

  async #expanded(revision: Revision): Promise<Configuration> {
    const { history, cache } = this.#options
    try {
      const document = await cache.read(await history.readDocument(revision))
      return (await runCooperatively(expandConfiguration(document.configuration))).configuration
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const reason = `The configuration ${nameOf(history, revision)} cannot be read: ${error.message}`
      throw new AssignmentRefusal(reason, { cause: error })
    }
  }
}

function nameOf(history: History, revision: Revision): string {
  const number = history.numberOf(revision)
  return number === null ? revision.digest : `r${number}`
}

function formerNameOf(name: string, renames: EntityRenames): string {
  const key = foldEntity(`pipeline/${name}`)
  const renaming = renames.find(([, now]) => foldEntity(now) === key)
  return renaming ? renaming[0].slice('pipeline/'.length) : name
}

function findPipeline({ groups }: Configuration, name: string) {
  for (const { name: group, pipelines } of groups) {
    const pipeline = pipelines.find((each) => isSameName(each.name, name))
    if (pipeline) return { group, pipeline }
  }
  return null
}
