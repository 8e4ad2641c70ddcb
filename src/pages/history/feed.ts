import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { escapeHtml } from '../frame/escape.ts'
import type { Links } from '../frame/links.ts'

/** The number of revisions in a feed. */
export const FEED = 50

export interface FeedItem {
  readonly revision: NumberedRevision
  /** The described changes. */
  readonly title: string
}

/** An Atom feed (RFC 4287) of revisions, newest first. */
export function renderFeed(items: readonly FeedItem[], links: Links, origin: string): string {
  const newest = items[0]?.revision.time ?? 0
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    '<title>Configuration history</title>',
    `<id>${escapeHtml(`${origin}${links.feed()}`)}</id>`,
    `<link rel="self" href="${escapeHtml(`${origin}${links.feed()}`)}"/>`,
    `<link href="${escapeHtml(`${origin}${links.history()}`)}"/>`,
    `<updated>${new Date(newest).toISOString()}</updated>`,
    ...items.map((item) => renderEntry(item, links, origin)),
    '</feed>',
    '',
  ].join('\n')
}

function renderEntry({ revision, title }: FeedItem, links: Links, origin: string): string {
  const { number, commit, time, who, message } = revision
  const before = `r${Math.max(1, number - 1)}`
  return [
    '<entry>',
    `<title>${escapeHtml(`r${number} ${title}`)}</title>`,
    `<id>urn:git-commit:${commit}</id>`,
    `<link href="${escapeHtml(`${origin}${links.compare(before, `r${number}`)}`)}"/>`,
    `<updated>${new Date(time).toISOString()}</updated>`,
    `<author><name>${escapeHtml(who)}</name></author>`,
    ...(message === '' ? [] : [`<summary>${escapeHtml(message)}</summary>`]),
    '</entry>',
  ].join('\n')
}
