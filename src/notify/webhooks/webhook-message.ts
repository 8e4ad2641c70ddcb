import type { OverriddenRule } from '../../configuration/gate/override.ts'
import type { NumberedEvent, ServiceEvent } from '../../core/service/service-event.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { type ClientNames, renderRevision } from '../../wire/revision-bodies.ts'
import type { EventBody, WebhookBody } from '../../wire/revision-events.ts'

/** A revision as a receiver hears of it. */
export interface RevisionDelivery {
  /**
   * `rewritten`: commits were taken back, and the revision is the current one now. `override`: it passed
   * rules.
   */
  readonly event: 'revision' | 'rewritten' | 'override'
  readonly revision: Revision
  /** The revision that it was sent before. */
  readonly previous: CommitSha
  /** The rules that it passed, of the event `override`. */
  readonly overrides?: readonly OverriddenRule[]
}

export interface WebhookMessage {
  /** The same for every repetition. */
  readonly id: string
  readonly event: string
  /** The subject in a few words. */
  readonly subject: string
  readonly body: string
}

export function revisionMessage(
  webhook: string,
  { event, revision, previous, overrides }: RevisionDelivery,
  clientNames: ClientNames,
): WebhookMessage {
  const { commit, subject } = revision
  const body = {
    event,
    webhook,
    revision: { ...renderRevision(revision, clientNames), subject },
    previousCommitSHA: previous,
    ...(overrides === undefined ? {} : { overrides }),
  } satisfies WebhookBody
  const id = event === 'rewritten' ? `rewritten-${previous}-${commit}` : `${event}-${commit}`
  return { id, event, subject: commit.slice(0, 10), body: JSON.stringify(body) }
}

export function eventMessage(webhook: string, { number, event }: NumberedEvent): WebhookMessage {
  const { type, time, ...data } = event
  const body = { event: type, webhook, time, data } satisfies EventBody
  return {
    id: `event-${number}`,
    event: type,
    subject: subjectOf(event),
    body: JSON.stringify(body),
  }
}

function subjectOf(event: ServiceEvent): string {
  if (event.type === 'agent.lost') return event.hostname
  if ('number' in event) return `proposal ${event.number}`
  const { pipeline, pipelineCounter, stage, stageCounter } = event
  return `${pipeline} ${pipelineCounter} / ${stage} ${stageCounter}`
}
