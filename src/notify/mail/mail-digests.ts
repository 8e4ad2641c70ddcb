import type { CurrentConfiguration } from '../../configuration/current/current-configuration.ts'
import type { NumberedEvent } from '../../core/service/service-event.ts'
import type { History } from '../../history/history.ts'
import { describeFault } from '../../core/faults.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { RetryLoop } from '../../lib/retry.ts'
import type { StateStore } from '../../state/state-store.ts'
import type { EventLog } from '../events/event-log.ts'
import { changesFor, hearersOf, mayHear, type NewsDeps, type Subscriber } from './find-news.ts'
import { MailConnection, MailFailure, type MailServer } from './mail-connection.ts'
import { digestOfNews, type MailLinks } from './mail-digest.tsx'
import {
  LAST_MAILS,
  MAIL_CURSOR,
  type MailCursor,
  type MailNews,
  WAITING_NEWS,
  type WaitingNews,
} from './mail-news.ts'
import { groupBy } from '../../lib/grouping.ts'

export interface MailDigestsOptions extends NewsDeps {
  readonly store: StateStore
  readonly history: History
  readonly events: EventLog
  readonly configuration: CurrentConfiguration
  /** The users who can log in, with the news that they want. */
  readonly subscribers: () => Promise<readonly Subscriber[]>
  /** Decrypts the password of the mail server; null when none of the keys fits. */
  readonly box: { open(sealed: string): string | null }
  /** Certificates of the authorities that are trusted for the mail server; null for those of Node. */
  readonly ca: string | null
  readonly links: () => MailLinks
  readonly clock: Clock
  readonly log: Log
}

const PAUSES = { fromMs: 1_000, toMs: 60_000 }
/** The least time between two mails to a subscriber, in milliseconds. */
const DIGEST_INTERVAL_MS = 60_000
/** The time for which subscribers are remembered while a slow server takes mails, in milliseconds. */
const SUBSCRIBERS_RETAINED_MS = 1_000
/** The time after which news that could not be sent are given up, in milliseconds. */
const RETENTION_MS = 24 * 3_600_000
const CURSOR = 'cursor'
const NUMBER_LENGTH = 12
const NO_KEY = 'its password cannot be decrypted with the keys of this server'

/**
 * Sends mail by the mail server of the configuration. News is found for all subscribers in the order of the
 * log of events and of the history, and stored together with the place up to which it was found; it is
 * removed when the server has taken the mail. So each piece is sent at least once, over restarts and by whichever
 * server leads, unless the mail server takes none for a day.
 */
export class MailDigests implements AsyncDisposable {
  readonly #options: MailDigestsOptions
  readonly #loop: RetryLoop
  readonly #unlisten: readonly (() => void)[]
  #cursor: MailCursor
  #timer: NodeJS.Timeout | undefined

  private constructor(options: MailDigestsOptions, cursor: MailCursor) {
    this.#options = options
    this.#cursor = cursor
    this.#loop = new RetryLoop({
      round: (loop) => this.#round(loop),
      pauses: PAUSES,
      problemOf: (error) => (error instanceof MailFailure ? error.message : describeFault(error)),
      report: (problem, error) => this.#report(problem, error),
    })
    const wake = () => this.#loop.wake()
    this.#unlisten = [
      options.history.onRevision(wake),
      options.events.onAppended(wake),
      options.configuration.subscribe(wake),
    ]
  }

  /** The first start begins with the news from now on. */
  static async open(options: MailDigestsOptions): Promise<MailDigests> {
    const { store, history, events } = options
    const known = await store.find(MAIL_CURSOR, CURSOR)
    const now = { event: await events.newest(), commit: history.current().commit }
    if (known === null) await store.change((tx) => tx.put(MAIL_CURSOR, CURSOR, now))
    return new MailDigests(options, known ?? now)
  }

  /** Why mail is not sent, as a sentence; none where it is. */
  problems(): readonly string[] {
    const { problem } = this.#loop
    const server = this.#serverName()
    if (problem === null || server === null) return []
    return [`Mail is not sent by ${server}: ${problem}`]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten()
    clearTimeout(this.#timer)
    await this.#loop[Symbol.asyncDispose]()
  }

  async #round(loop: RetryLoop): Promise<void> {
    await this.#collectEvents()
    await this.#collectChanges()
    if (this.#serverName() !== null) await this.#sendAll(loop)
  }

  /**
   * The readers of news that was found before: those who asked for it, perhaps at another server, before it came
   * about are among them. None where the configuration names no mail server.
   */
  async #subscribers(): Promise<readonly Subscriber[]> {
    return this.#serverName() === null ? [] : this.#options.subscribers()
  }

  async #collectEvents(): Promise<void> {
    const { events } = this.#options
    for (;;) {
      const page = await events.after(this.#cursor.event)
      const newest = page.at(-1)
      if (newest === undefined) return
      const subscribers = await this.#subscribers()
      const found: Found[] = []
      for (const each of page) found.push(...(await this.#hearersOf(subscribers, each)))
      await this.#keep(found, { ...this.#cursor, event: newest.number })
    }
  }

  async #hearersOf(
    subscribers: readonly Subscriber[],
    { event }: NumberedEvent,
  ): Promise<readonly Found[]> {
    const hearers = await hearersOf(this.#options, subscribers, event)
    return hearers.map(({ id }) => ({ subscriber: id, news: event }))
  }

  /** After a reset of the branch there is no way from the last revision to the current one: none is told. */
  async #collectChanges(): Promise<void> {
    const { history, configuration } = this.#options
    const newer = await history.listNewer(this.#cursor.commit)
    if (newer === null) {
      return this.#keep([], { ...this.#cursor, commit: history.current().commit })
    }
    // The document of a revision of another server is read after the revision is there. Until then an older
    // configuration would say by which mail server, and who may hear of it.
    const inForce = configuration.revision().commit
    const known = newer.slice(0, newer.findIndex(({ commit }) => commit === inForce) + 1)
    if (known.length === 0) return
    const subscribers = await this.#subscribers()
    for (const revision of known) {
      const previous = history.previousOf(revision)
      const pair = previous === null ? null : { revision, previous }
      const told = pair === null ? [] : await changesFor(this.#options, subscribers, pair)
      const found = told.map(([{ id }, news]) => ({ subscriber: id, news }))
      await this.#keep(found, { ...this.#cursor, commit: revision.commit })
    }
  }

  /** Stores news with the place up to which they were found. */
  async #keep(found: readonly Found[], cursor: MailCursor): Promise<void> {
    await this.#options.store.change(async (tx) => {
      for (const { subscriber, news } of found) {
        const number = await tx.next('mail-news')
        await tx.put(WAITING_NEWS, keyOf(subscriber, number), { number, subscriber, news })
      }
      await tx.put(MAIL_CURSOR, CURSOR, cursor)
    })
    this.#cursor = cursor
  }

  /** One mail for each subscriber with news. A refused address holds up nobody else. */
  async #sendAll({ signal }: RetryLoop): Promise<void> {
    const { store, clock } = this.#options
    const waiting = await waitingBySubscriber(store)
    let subscribers = await this.#subscribers()
    let asked = clock()
    const deps = { ...this.#options, awaited: onceEach(this.#options.awaited) }
    const refusals: MailFailure[] = []
    let next = Infinity
    let connection: MailConnection | null = null
    try {
      for (const [id, all] of waiting) {
        const now = clock()
        if (Math.abs(now - asked) > SUBSCRIBERS_RETAINED_MS) {
          subscribers = await this.#subscribers()
          asked = now
        }
        const subscriber = subscribers.find((each) => each.id === id)
        const sent = (await store.find(LAST_MAILS, id))?.sent ?? 0
        // The time of the last mail lies ahead where the clock has been put back since.
        const due = sent > now ? now : sent + DIGEST_INTERVAL_MS
        if (subscriber !== undefined && due > now) {
          next = Math.min(next, due)
          continue
        }
        const news = subscriber === undefined ? [] : await this.#stillTold(deps, subscriber, all)
        if (subscriber !== undefined && news.length > 0) {
          connection ??= new MailConnection(this.#server(), signal)
          const refusal = await this.#send(connection, subscriber, news)
          if (refusal !== null) refusals.push(refusal)
          if (refusal !== null) continue
        }
        await this.#done(id, all, news.length > 0 ? now : null)
      }
    } finally {
      connection?.[Symbol.dispose]()
    }
    this.#wakeAt(next)
    const [refusal] = refusals
    if (refusal !== undefined) throw refusal
  }

  /** The news that a subscriber may still hear of; not those that are given up. */
  async #stillTold(
    deps: NewsDeps,
    subscriber: Subscriber,
    all: readonly WaitingNews[],
  ): Promise<readonly WaitingNews[]> {
    const { clock, log } = this.#options
    const fresh = all.filter(({ news }) => news.time > clock() - RETENTION_MS)
    const late = all.length - fresh.length
    if (late > 0) {
      const facts = { user: subscriber.principal.username, news: late }
      log({ level: 'warning', message: 'News could not be sent by mail for a day', facts })
    }
    const told: WaitingNews[] = []
    for (const each of fresh) if (await mayHear(deps, subscriber, each.news)) told.push(each)
    return told
  }

  /** Returns why the address was refused, or null when the mail is taken. */
  async #send(
    connection: MailConnection,
    { principal: { username }, wishes: { address: to } }: Subscriber,
    news: readonly WaitingNews[],
  ): Promise<MailFailure | null> {
    const { links, clock, configuration } = this.#options
    const from = configuration.read().configuration.server?.mailHost?.from ?? ''
    const places = { links: links(), from, to, username, now: clock() }
    try {
      await connection.send(await digestOfNews(news, places))
      return null
    } catch (error) {
      if (!(error instanceof MailFailure) || !error.isOfAddress) throw error
      return new MailFailure(`for ${to} ${error.message}`, true, { cause: error })
    }
  }

  #done(id: string, all: readonly WaitingNews[], sent: number | null): Promise<void> {
    const { store } = this.#options
    return store.change(async (tx) => {
      for (const { number } of all) await tx.remove(WAITING_NEWS, keyOf(id, number))
      if (sent !== null) await tx.put(LAST_MAILS, id, { sent })
    })
  }

  #wakeAt(time: number): void {
    clearTimeout(this.#timer)
    if (time === Infinity || this.#loop.signal.aborted) return
    const later = time - this.#options.clock()
    this.#timer = setTimeout(() => this.#loop.wake(), later).unref()
  }

  /** @throws {MailFailure} where its password cannot be read. */
  #server(): MailServer {
    const { configuration, box, ca } = this.#options
    const { mailHost } = configuration.read().configuration.server ?? { mailHost: null }
    if (!mailHost) throw new MailFailure('the configuration names no mail server any more', false)
    const { hostname: host, port, tls, username, password, encryptedPassword } = mailHost
    const sealed = encryptedPassword ?? ''
    const pass = sealed === '' ? (password ?? '') : box.open(sealed)
    if (pass === null) throw new MailFailure(NO_KEY, false)
    const hasLogIn = (username ?? '') !== ''
    const logIn = hasLogIn ? { user: username ?? '', pass } : null
    return { host, port: port ?? 0, tls, logIn, ca }
  }

  /** The host and port of the mail server; null where the configuration names none. */
  #serverName(): string | null {
    const { mailHost } = this.#options.configuration.read().configuration.server ?? {
      mailHost: null,
    }
    return mailHost ? `${mailHost.hostname}:${mailHost.port}` : null
  }

  #report(problem: string | null, error: unknown): void {
    const { log } = this.#options
    if (problem === null) return log({ level: 'info', message: 'Mail is sent again' })
    const facts = error instanceof MailFailure ? { problem } : { error }
    log({ level: 'warning', message: 'Mail cannot be sent', facts })
  }
}

interface Found {
  readonly subscriber: string
  readonly news: MailNews
}

/** All news that wait, by subscriber, in the order in which they were found. */
async function waitingBySubscriber(
  store: StateStore,
): Promise<ReadonlyMap<string, readonly WaitingNews[]>> {
  const entries = await store.list(WAITING_NEWS)
  return groupBy(
    entries.map(({ value }) => value),
    ({ subscriber }) => subscriber,
  )
}

/** Finds the answer about each number once. */
function onceEach<Answer>(find: (number: number) => Answer): (number: number) => Answer {
  const found = new Map<number, Answer>()
  return (number) => {
    const answer = found.get(number) ?? find(number)
    found.set(number, answer)
    return answer
  }
}

function keyOf(subscriber: string, number: number): string {
  return `${subscriber}/${`${number}`.padStart(NUMBER_LENGTH, '0')}`
}
