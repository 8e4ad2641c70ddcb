import { openCursor } from './webhook-cursor.ts'
import type { WebhookSettings } from './webhook-settings.ts'
import { Webhook, type WebhookDeps, type WebhookState } from './webhook.ts'

/** All receivers of revisions. They do not wait for each other. */
export class Webhooks implements AsyncDisposable {
  readonly #all: readonly Webhook[]

  private constructor(all: readonly Webhook[]) {
    this.#all = all
  }

  /** A new receiver gets the revisions from now on. */
  static async open(settings: readonly WebhookSettings[], deps: WebhookDeps): Promise<Webhooks> {
    const start = deps.history.current().commit
    const cursors = await Promise.all(
      settings.map(({ name }) => openCursor(deps.store, name, start)),
    )
    const pairs = settings.map((each, n) => [each, cursors[n]] as const)
    return new Webhooks(pairs.flatMap(([each, at]) => (at ? [new Webhook(each, at, deps)] : [])))
  }

  states(): readonly WebhookState[] {
    return this.#all.map((webhook) => webhook.state())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((webhook) => webhook[Symbol.asyncDispose]()))
  }
}
