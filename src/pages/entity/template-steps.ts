import type { DocumentChange } from '../../document/entities/change.ts'
import type { Principal } from '../../core/principal.ts'
import { foldEntity } from '../../document/entities/entities.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import { bisect } from '../../lib/bisect.ts'
import { runSync } from '../../lib/cooperative.ts'
import { numbered, type NumberedRevision } from '../revisions/numbered-revision.ts'
import { toldRevision } from '../revisions/told-revision.ts'
import type { EntityStep, EntityStepsDeps } from './entity-steps.ts'
import type { VisibleStepsDeps } from './visible-steps.ts'

/** A revision that changed a pipeline through its template. */
export interface TemplateStep {
  readonly template: string
  readonly revision: NumberedRevision
  readonly changes: readonly DocumentChange[]
}

/** The most that are shown between two changes of the pipeline itself. */
const MAX_BETWEEN = 10

/** The changes of the template that a pipeline has after a step, up to its next own one, newest first. */
export async function templateSteps(
  { history, entities, access }: EntityStepsDeps & VisibleStepsDeps,
  principal: Principal,
  { step, next, text }: { step: EntityStep; next: EntityStep | null; text: string },
): Promise<readonly TemplateStep[]> {
  const template = templateOf(text)
  if (template === null) return []
  const { revisions } = await entities.revisionsOf(foldEntity(`template/${template}`))
  const numberAt = (place: number) => revisions.at(place)?.number ?? 0
  const end = next?.number ?? Infinity
  const start = bisect({ high: revisions.length }, (place) => numberAt(place) >= end)
  const older = bisect({ high: revisions.length }, (place) => numberAt(place) > step.number)
  return revisions
    .slice(start, Math.min(older, start + MAX_BETWEEN))
    .map(({ entity, revision }) => {
      const changes = entities.changesAbout(revision, entity)
      const seen = { revision: numbered(history, revision), entity, changes }
      return { template, revision: toldRevision({ access, entities }, principal, seen), changes }
    })
}

function templateOf(text: string): string | null {
  if (!text.includes('template')) return null
  const document = runSync(readXml(Buffer.from(text)))
  return 'root' in document ? (document.root.attributeValue('template') ?? null) : null
}
