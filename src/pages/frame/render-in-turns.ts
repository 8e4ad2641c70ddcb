import { raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { Turns } from '../../lib/cooperative.ts'
import type { Html } from './page-response.ts'

/** Renders the long parts of a page, with turns for others between them, and one before the page around them. */
export async function renderInTurns(parts: readonly (() => Html)[]): Promise<HtmlEscapedString[]> {
  const turns = new Turns()
  const rendered: HtmlEscapedString[] = []
  for (const render of parts) {
    rendered.push(raw((await render()).toString()))
    if (turns.isOver) await turns.next()
  }
  await turns.next()
  return rendered
}
