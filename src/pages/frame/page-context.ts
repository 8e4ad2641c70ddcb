import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { describeMaintenance, isMaintained } from '../../core/service/maintenance.ts'
import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import type { Principal } from '../../core/principal.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { ApiContext } from '../../api/definition/api-context.ts'
import { readHealth, visibleProblems } from '../../health/health.ts'
import { type Assets, builtAssets } from '../assets/assets.ts'
import { coloursOf } from '../kit/colours.ts'
import type { OpenPage, OpenPageWithMessage, PageFrame } from '../kit/layout.tsx'
import { Links } from '../kit/links.ts'
import { entityWords } from '../revisions/entity-words.ts'
import { FlashMessages } from './flash-message.ts'

/** The context that all pages share: their addresses, their assets, and the data of their frame. */
export class PageContext {
  readonly links: Links
  readonly assets: Assets = builtAssets()
  readonly flash = new FlashMessages()
  readonly #health: ApiContext['health']
  readonly #access: ApiContext['configuration']['access']
  readonly #entities: ApiContext['configuration']['entities']
  readonly #publicUrl: string | null
  readonly #clock: ApiContext['clock']

  constructor({ health, configuration, site, clock }: ApiContext) {
    this.#clock = clock
    this.links = new Links(site.basePath)
    this.#health = health
    this.#access = configuration.access
    this.#entities = configuration.entities
    this.#publicUrl = site.publicUrl
  }

  isAdministrator(principal: Principal): boolean {
    return this.#access.may(principal, { action: 'administer' })
  }

  /** The parts of the configuration that a user administers. */
  administeredBy(principal: Principal): readonly EntityPlace[] {
    return this.#access.administeredBy(principal)
  }

  /** The address of the service for programs such as agents. */
  serverAddress(request: Request): string {
    return `${this.originOf(request)}${this.links.root()}`.replace(/\/$/, '')
  }

  /** The origin that people reach the service by: the operator's word, or that of the request. */
  originOf(request: Request): string {
    return new URL(this.#publicUrl ?? request.url).origin
  }

  /** The start page of a user: the history for users who may see it. */
  homeOf(principal: Principal): string {
    return this.isAdministrator(principal) ? this.links.history() : this.links.pipelines()
  }

  /** A page that answers the request of a user. */
  open(c: Context<RouteEnv>): OpenPage {
    return { frame: this.frame(c.req.raw, c.env.principal), now: this.#clock() }
  }

  /** Such a page with the message of the action before it, or the reason why that was refused. */
  openWithMessage(
    c: Context<RouteEnv>,
    refusal?: Pick<OpenPageWithMessage, 'flash'> | null,
  ): OpenPageWithMessage {
    return { ...this.open(c), flash: refusal?.flash ?? this.flash.take(c) }
  }

  /** The frame of the page that answers the request. */
  frame(request: Request, principal: Principal | null): PageFrame {
    const { links, assets } = this
    const problems = principal
      ? visibleProblems(this.#access, principal, readHealth(this.#health).problems)
      : []
    const { pathname, search } = new URL(request.url)
    const username = principal?.username ?? ''
    const hasSession = principal?.credential?.kind === 'session'
    const colours = coloursOf(request)
    const isAdministrator = principal !== null && this.isAdministrator(principal)
    const everyoneAdministers = isAdministrator && this.#access.everyoneAdministers
    const current = this.#health.maintenance.current()
    const maintenance = principal && isMaintained(current) ? describeMaintenance(current) : null
    const history = this.#historyOf(principal)
    const rights = `${isAdministrator} ${everyoneAdministers} ${hasSession} ${history ?? ''}`
    const facts = [
      username,
      rights,
      colours,
      assets.version,
      JSON.stringify([problems, maintenance]),
    ]
    const here = `${pathname}${search}`
    const who = { username, hasSession, isAdministrator, history, everyoneAdministers }
    const wordsOf = (entity: string) => entityWords({ entities: this.#entities }, entity)
    const frame = { links, assets, ...who, problems, maintenance, colours, wordsOf, here }
    return { ...frame, key: keyOf(facts) }
  }

  /** The history of all that a user administers; null for who administers nothing. */
  #historyOf(principal: Principal | null): string | null {
    if (principal === null) return null
    if (this.isAdministrator(principal)) return this.links.history()
    const [part, ...others] = this.administeredBy(principal)
    if (part === undefined) return null
    return others.length > 0 ? this.links.history() : this.links.entity(part.kind, part.name)
  }

  /** An ETag of a page: it differs when the frame or any of the given facts does. */
  etag(frame: PageFrame, facts: readonly (string | number | boolean)[]): string {
    return keyOf([frame.key, ...facts.map(String)])
  }
}

function keyOf(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16)
}
