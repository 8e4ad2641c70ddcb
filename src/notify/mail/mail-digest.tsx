import { hash } from 'node:crypto'
import type { MailNews, WaitingNews } from './mail-news.ts'
import type { CommitSha } from '../../core/revision.ts'
import { APPROVED_BY_CHANGES } from '../../core/builds/stage.ts'
import type { RunEvent, RunEventType } from '../../core/service/service-event.ts'
import { foldEntity } from '../../document/entities/entities.ts'
import { oneLine } from '../../history/revision/message.ts'
import type { ReadyMail } from './mail-connection.ts'
import { groupBy } from '../../lib/grouping.ts'

/** Absolute addresses of pages; null where the address of this service is not known. */
export interface MailLinks {
  run(event: RunEvent): string | null
  proposal(number: number): string | null
  /** The changes of a commit to an entity. */
  change(entity: string, commit: CommitSha): string | null
  /** The page where the subscription is changed. */
  account(): string | null
}

export interface DigestPlaces {
  readonly links: MailLinks
  /** The sender, as the configuration has it. */
  readonly from: string
  readonly to: string
  readonly username: string
  readonly now: number
}

/** A piece of news in words. */
interface NewsLine {
  readonly title: string
  readonly details: readonly string[]
  readonly link: string | null
}

/** The news of one thread: of a pipeline, of a proposal, or of another entity. */
interface NewsSection {
  readonly thread: string
  readonly lines: readonly NewsLine[]
}

/** From the most urgent to the least. */
const URGENCY: readonly MailNews['type'][] = [
  'run.broken',
  'run.failed',
  'run.cancelled',
  'run.fixed',
]
const VERBS: Readonly<Record<RunEventType, string>> = {
  'run.broken': 'broke',
  'run.failed': 'failed',
  'run.fixed': 'is fixed',
  'run.passed': 'passed',
  'run.cancelled': 'was cancelled',
}
/** Limits of what one mail shows. */
const MAX_LINES = 100
const MAX_DETAILS = 20
const MAX_TEXT = 300
const MAX_SUBJECT = 150
const ID_LENGTH = 32

/**
 * A mail about all news of a subscriber, the most urgent first. It belongs to the thread of its first news, so
 * that a mail reader shows the mails about one pipeline together. The same news make the same id, by which a
 * repetition is known.
 */
export async function digestOfNews(
  waiting: readonly WaitingNews[],
  places: DigestPlaces,
): Promise<ReadyMail> {
  const { from, to, username, now, links } = places
  const news = latestOf(waiting.map((each) => each.news)).toSorted(byUrgency)
  const sections = sectionsOf(news.slice(0, MAX_LINES), links)
  const [first] = sections
  const others = news.length - 1
  const subject = `[cairn] ${first?.lines[0]?.title ?? ''}${others > 0 ? `, and ${others} more` : ''}`
  const more = news.length > MAX_LINES ? `There are ${news.length - MAX_LINES} more.` : null
  const account = links.account()
  const why = `You get this mail because ${username} has subscribed to it${account === null ? '.' : ':'}`
  const foot = { more, why, account }
  const domain = domainOf(from)
  const shown = <Digest sections={sections} foot={foot} />
  const page = await shown
  const numbers = waiting.map(({ number }) => number).join(' ')
  return {
    from: oneLine(from),
    to,
    subject: cut(oneLine(subject), MAX_SUBJECT),
    text: textOf(sections, foot),
    html: `<!doctype html>${page.toString()}`,
    date: new Date(now),
    messageId: `<${digest(`${waiting[0]?.subscriber ?? ''}\n${numbers}`)}@${domain}>`,
    inReplyTo: `<${digest(first?.thread ?? '')}@${domain}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(account === null ? {} : { 'List-Unsubscribe': `<${account}>` }),
    },
  }
}

/** Of the events of one proposal, the last. */
function latestOf(news: readonly MailNews[]): readonly MailNews[] {
  return news.filter((each, n) => {
    if (!('number' in each)) return true
    return !news.slice(n + 1).some((later) => 'number' in later && later.number === each.number)
  })
}

function byUrgency(one: MailNews, other: MailNews): number {
  return rankOf(one) - rankOf(other)
}

function rankOf({ type }: MailNews): number {
  const rank = URGENCY.indexOf(type)
  return rank < 0 ? URGENCY.length : rank
}

function sectionsOf(news: readonly MailNews[], links: MailLinks): readonly NewsSection[] {
  return Array.from(groupBy(news, threadOf), ([thread, own]) => ({
    thread,
    lines: own.map((each) => lineOf(each, links)),
  }))
}

function threadOf(news: MailNews): string {
  if (news.type === 'changed') return foldEntity(news.entity)
  if ('pipeline' in news) return foldEntity(`pipeline/${news.pipeline}`)
  return 'number' in news ? `proposal/${news.number}` : news.type
}

function lineOf(news: MailNews, links: MailLinks): NewsLine {
  if (news.type === 'changed') {
    const { entity, commit, username, changes } = news
    const shown = changes.slice(0, MAX_DETAILS).map((change) => cut(oneLine(change), MAX_TEXT))
    const rest = changes.length - shown.length
    const details = rest > 0 ? [...shown, `and ${rest} more`] : shown
    const title = `${username} changed ${entity.replace('/', ' ')}`
    return { title: oneLine(title), details, link: links.change(entity, commit) }
  }
  if ('pipeline' in news) {
    const { type, pipeline, stage, pipelineCounter, label, approvedBy, cancelledBy } = news
    const by = cancelledBy === null ? '' : ` by ${cancelledBy}`
    const title = `${pipeline}/${stage} ${VERBS[type]}${by}`
    const own = label === `${pipelineCounter}` ? '' : `, label ${label}`
    const start = approvedBy === APPROVED_BY_CHANGES ? 'automatically' : `by ${approvedBy}`
    const details = [`Run ${pipelineCounter}${own}, started ${start}`]
    return { title: oneLine(title), details: details.map(oneLine), link: links.run(news) }
  }
  if (!('number' in news)) return { title: news.type, details: [], link: null }
  const { number, title, author } = news
  const subject = `Proposal ${number} waits for your approval: ${cut(oneLine(title), MAX_TEXT)}`
  return { title: subject, details: [oneLine(`By ${author}`)], link: links.proposal(number) }
}

interface Foot {
  readonly more: string | null
  readonly why: string
  readonly account: string | null
}

function textOf(sections: readonly NewsSection[], { more, why, account }: Foot): string {
  const parts = sections.map(({ lines }) => lines.map(textOfLine).join('\n'))
  const foot = ['-- ', why, ...(account === null ? [] : [account])]
  return `${[...parts, ...(more === null ? [] : [more]), foot.join('\n')].join('\n\n')}\n`
}

function textOfLine({ title, details, link }: NewsLine): string {
  const more = [...details, ...(link === null ? [] : [link])]
  return [title, ...more.map((each) => `  ${each}`)].join('\n')
}

function Digest({ sections, foot }: { sections: readonly NewsSection[]; foot: Foot }) {
  return (
    <html lang="en">
      <body>
        {sections.map(({ lines }) => lines.map((line) => <Line line={line} />))}
        {foot.more !== null && <p>{foot.more}</p>}
        <p>
          {foot.why} {foot.account !== null && <a href={foot.account}>{foot.account}</a>}
        </p>
      </body>
    </html>
  )
}

function Line({ line: { title, details, link } }: { line: NewsLine }) {
  return (
    <>
      <h3>{link === null ? title : <a href={link}>{title}</a>}</h3>
      {details.length > 0 && (
        <ul>
          {details.map((each) => (
            <li>{each}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
}

function digest(text: string): string {
  return hash('sha256', text).slice(0, ID_LENGTH)
}

/** The domain of the sender, for the ids of messages. */
function domainOf(from: string): string {
  const [, domain = ''] = /@([A-Za-z0-9.-]+)/.exec(from) ?? []
  return domain === '' ? 'cairn.invalid' : domain
}
