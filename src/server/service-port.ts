import { json } from '../http/errors.ts'
import { type Handler, Listening } from '../http/listen.ts'
import type { LivenessBody, ReadinessBody } from '../wire/health-body.ts'
import type { BootContext } from './boot-context.ts'

/** The interval after which clients ask again, in seconds. */
const RETRY_AFTER_S = 5

/** The port of a service, which may be open before the service is. */
export class ServicePort {
  readonly #boot: Pick<BootContext, 'settings' | 'environment' | 'shutdown'>
  #answer: Handler = () => json({ status: 'unavailable' }, 503)
  #listening: Listening | null = null

  constructor(boot: Pick<BootContext, 'settings' | 'environment' | 'shutdown'>) {
    this.#boot = boot
  }

  /** Has a service answer from now on. @throws the system's error when the port cannot be opened. */
  async answerBy(answer: Handler): Promise<Listening> {
    const { settings, environment, shutdown } = this.#boot
    this.#answer = answer
    this.#listening ??= shutdown.own(
      'stop-listening',
      await Listening.open((request, connection) => this.#answer(request, connection), {
        ...settings,
        log: environment.log,
      }),
    )
    return this.#listening
  }

  /** Answers probes while the database is away, so that nobody ends a server that only waits for it. */
  async answerWaiting(): Promise<void> {
    const base = this.#boot.settings['base-path']
    await this.answerBy(({ url }) => {
      const { pathname } = new URL(url)
      if (pathname === `${base}/health/live`) return json({ status: 'ok' } satisfies LivenessBody)
      const headers = { 'retry-after': String(RETRY_AFTER_S) }
      if (pathname !== `${base}/health/ready`) {
        return json({ message: 'This server starts when the database is back' }, 503, headers)
      }
      const body: ReadinessBody = {
        status: 'unavailable',
        reasons: ['The state store cannot be read'],
      }
      return json(body, 503, headers)
    })
  }
}
