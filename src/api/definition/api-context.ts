import type { AgentsDomain } from '../../agents/agents-domain.ts'
import type { BuildsDomain } from '../../builds/builds-domain.ts'
import type { ConfigurationDomain } from '../../configuration/configuration-domain.ts'
import type { HealthDomain } from '../../health/health-domain.ts'
import type { IdentitiesDomain } from '../../identities/identities-domain.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { NotifyDomain } from '../../notify/notify-domain.ts'
import type { WebhooksDomain } from '../../notify/webhooks/webhooks.ts'
import type { ProposalsDomain } from '../../proposals/proposals-domain.ts'
import type { AnswerRequest, RequestContext } from '../../http/request-context.ts'
import type { RouteFacts } from './route.ts'
import type { ClientNames } from '../../wire/revision-bodies.ts'

/** The settings that answers depend on. */
export interface Site {
  readonly basePath: string
  /** The address that people use, as the operator gave it. */
  readonly publicUrl: string | null
  readonly clientNames: ClientNames
  /** The largest document, in bytes. */
  readonly maxBody: number
}

/** Answers a request to this interface in the name of a caller whose credentials have been read. */
export interface OwnCalls {
  /** The routes that are offered as tools. */
  readonly routes: readonly RouteFacts[]
  readonly answer: AnswerRequest
}

/** Answers a message of the Model Context Protocol, in the name of the caller of the request. */
export type AnswerMcp = (
  request: Request,
  message: unknown,
  context: RequestContext,
) => Promise<Response>

/** The domains of every server: a route takes the ones that it needs. */
export interface ApiContext {
  readonly configuration: ConfigurationDomain
  readonly identities: IdentitiesDomain
  readonly notify: NotifyDomain
  readonly health: HealthDomain
  readonly site: Site
  readonly clock: Clock
  readonly log: Log
  /** The context of the leader while this server leads, and null while another one does. */
  readonly leader: () => LeaderContext | null
}

/** The same with the tools, which are calls of the other routes. */
export interface ServedContext extends ApiContext {
  readonly answerMcp: AnswerMcp
}

/** The same with the domains that only the leader has. */
export interface LeaderContext extends ApiContext {
  readonly agents: AgentsDomain
  readonly builds: BuildsDomain
  readonly proposals: ProposalsDomain
  readonly webhooks: WebhooksDomain
}
