import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { escapeHtml } from '../kit/words/escape.ts'
import type { Links, Query } from '../kit/links.ts'

/** The number of revisions in a feed. */
export const FEED = 50

export interface FeedItem {
  readonly revision: NumberedRevision
  /** The described changes. */
  readonly title: string
  /** The path of the page of its changes. */
  readonly page: string
}

export interface Feed {
  readonly items: readonly FeedItem[]
  readonly links: Links
  readonly origin: string
  /** The filter, by which feeds differ. */
  readonly query: Query
  /** When the history last changed: a feed without entries has a time too. */
  readonly updated: number
}

/** An Atom feed (RFC 4287) of revisions, newest first. */
export function renderFeed({ items, links, origin, query, updated }: Feed): string {
  const self = escapeXml(`${origin}${links.feed(query)}`)
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    '<title>Configuration history</title>',
    `<id>${self}</id>`,
    `<link rel="self" type="application/atom+xml" href="${self}"/>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(`${origin}${links.history(query)}`)}"/>`,
    `<updated>${new Date(items[0]?.revision.time ?? updated).toISOString()}</updated>`,
    '<author><name>Cairn</name></author>',
    ...items.map((item) => renderEntry(item, origin)),
    '</feed>',
    '',
  ].join('\n')
}

function renderEntry({ revision, title, page }: FeedItem, origin: string): string {
  const { number, commit, time, who, message } = revision
  return [
    '<entry>',
    `<title>${escapeXml(`r${number} ${title}`)}</title>`,
    `<id>urn:git-commit:${commit}</id>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(`${origin}${page}`)}"/>`,
    `<updated>${new Date(time).toISOString()}</updated>`,
    `<author><name>${escapeXml(who || '(no name)')}</name></author>`,
    `<summary>${escapeXml(message || title)}</summary>`,
    '</entry>',
  ].join('\n')
}

/** XML cannot hold every character, not even as a reference. */
function escapeXml(text: string): string {
  return escapeHtml(
    text.replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd'),
  )
}
