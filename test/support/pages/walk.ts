import type { Browser, Page } from 'playwright-core'
import type { TestService } from '../service/service.ts'
import { keepPicture, visit } from './browser.ts'
import { troublesOf } from './inspection.ts'

/** A machine may be busy with other tests. */
export const SLOW = { timeout: 600_000 }
export const WITHIN = { timeout: 60_000 }

/** A name as long as those of real servers, without a place to break. */
export const LONG = 'GENIVI_Baseline_Continuous_Layer_Integration_of_the_next_release'

/** Looks at states of pages one after the other: what is wrong with each, with a picture. */
export class Walk {
  readonly page: Page
  readonly #found: Record<string, string[]> = {}

  constructor(page: Page) {
    this.page = page
  }

  /** The state that the page is in, or the page of an address. */
  async at(title: string, path?: string, status = 200): Promise<void> {
    const answer = path === undefined ? null : await this.page.goto(path)
    const given = answer?.status() ?? status
    const found = given === status ? [] : [`status ${given}`]
    this.#found[title] = [...found, ...(await troublesOf(this.page))]
    await keepPicture(this.page, `states/${title}`)
  }

  /** Pages by their titles, all of which are answered with one status. */
  async through(pages: Readonly<Record<string, string>>, status = 200): Promise<void> {
    for (const [title, path] of Object.entries(pages)) await this.at(title, path, status)
  }

  /** Presses the button of a form, and waits until the whole page that answers is there. */
  async send(name: string): Promise<void> {
    const button = this.page.getByRole('button', { name }).first()
    await Promise.all([this.page.waitForEvent('load', WITHIN), button.click()])
  }

  /** The faults of each state that has any. */
  wrong(): Record<string, string[]> {
    return Object.fromEntries(Object.entries(this.#found).filter(([, found]) => found.length > 0))
  }
}

/** A walk of admin, or of a user whose password is the name. */
export async function walkOf(
  browser: Browser,
  { url }: Pick<TestService, 'url'>,
  username?: string,
): Promise<Walk> {
  const as = username === undefined ? {} : { as: { username, password: username } }
  return new Walk(await visit(browser, url, as))
}
