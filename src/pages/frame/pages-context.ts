import type { AgentsDomain } from '../../agents/agents-domain.ts'
import type { ApiContext, LeaderContext } from '../../api/definition/api-context.ts'
import type { DescribedCall } from '../../api/description/described-call.ts'
import type { BuildsDomain } from '../../builds/builds-domain.ts'
import type { EffectivePipelines } from '../../builds/configured/effective-pipelines.ts'
import type { ConfigurationDomain } from '../../configuration/configuration-domain.ts'
import { SessionCookie } from '../../http/session-cookie.ts'
import type { IdentitiesDomain } from '../../identities/identities-domain.ts'
import type { OidcLogIn } from '../../identities/oidc/oidc-log-in.ts'
import { memoize } from '../../lib/memoize.ts'
import type { WebhooksDomain } from '../../notify/webhooks/webhooks.ts'
import type { ProposalsDomain } from '../../proposals/proposals-domain.ts'
import { PageContext } from './page-context.ts'
import type { PageStateDeps } from './page-state.tsx'
import { KeptForms } from './kept-form.ts'
import type { PageServices } from './page-services.ts'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../../core/principal.ts'

/** A removal is forgotten after this time, in milliseconds. */
const RETAINED_MS = 3_600_000
const MAX_AGENTS = 1_000

interface RemovedAgent {
  readonly uuid: string
  readonly name: string
}

interface Outcome extends RemovedAgent {
  readonly action: string
  readonly isDone: boolean
}

/**
 * The agents that each user removed, so that their pages can show whether one registers again. Such
 * a page names agents in its address, which is trusted only for agents that this user removed.
 */
class RemovedAgents {
  readonly #removed = new LRUCache<string, true>({ max: MAX_AGENTS, ttl: RETAINED_MS })

  note({ username }: Principal, outcomes: readonly Outcome[]): void {
    for (const { action, isDone, ...agent } of outcomes) {
      if (action !== 'delete' || !isDone) continue
      this.#removed.set(keyOf(username, agent), true)
    }
  }

  has({ username }: Principal, agent: RemovedAgent): boolean {
    return this.#removed.has(keyOf(username, agent))
  }
}

function keyOf(username: string, { uuid, name }: RemovedAgent): string {
  return JSON.stringify([username, uuid, name])
}

/** Users, and the ways in which they log in. */
interface UserLogIns extends IdentitiesDomain {
  /** Null where people log in with passwords alone. */
  readonly oidc: OidcLogIn | null
}

/** The context of a server, with what it has open for its pages. */
export interface PagesSource extends ApiContext {
  readonly identities: UserLogIns
  readonly configured: { readonly pipelines: EffectivePipelines }
  readonly pageServices: PageServices
}

/** The configuration as pages read it. */
type ShownConfiguration = ConfigurationDomain &
  PageServices &
  PageStateDeps & { readonly pipelines: EffectivePipelines }

/** The domains that every server has for its pages. */
export interface PagesContext extends ApiContext {
  readonly configuration: ShownConfiguration
  readonly identities: UserLogIns & ShownConfiguration
  readonly pages: PageContext
  readonly sessionCookie: SessionCookie
  readonly keptForms: KeptForms
  /** Every route of the service; known once all are mounted. */
  readonly described: () => readonly DescribedCall[]
  readonly leader: () => LeaderPagesContext | null
}

/** The same with the domains that only the leader has. */
export interface LeaderPagesContext extends PagesContext {
  readonly proposals: ProposalsDomain
  readonly webhooks: WebhooksDomain
  readonly builds: BuildsDomain & ShownConfiguration
  readonly agents: AgentsDomain & LeaderPagesContext['builds'] & { readonly removed: RemovedAgents }
}

export function openPages(source: PagesSource, described: PagesContext['described']): PagesContext {
  const { pipelines } = source.configured
  const runs = () => source.leader()?.builds ?? null
  const configuration = { ...source.configuration, ...source.pageServices, pipelines, runs }
  const removed = new RemovedAgents()
  const leading = memoize((led: LeaderContext): LeaderPagesContext => {
    const builds = { ...configuration, ...led.builds }
    const { proposals, webhooks } = led
    return {
      ...context,
      builds,
      proposals,
      webhooks,
      agents: { ...led.agents, ...builds, removed },
    }
  })
  const context: PagesContext = {
    ...source,
    configuration,
    identities: { ...configuration, ...source.identities },
    pages: new PageContext(source),
    sessionCookie: new SessionCookie(source.site),
    keptForms: new KeptForms(),
    described,
    leader: () => {
      const led = source.leader()
      return led && leading(led)
    },
  }
  return context
}
