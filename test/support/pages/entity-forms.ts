import type { CalledService } from '../service/service.ts'
import { unescape } from './page-forms.ts'

export type Pairs = readonly (readonly [name: string, value: string])[]

/** A form of an entity as a browser without scripts has it: its fields, and buttons that send them. */
export class EntityForm {
  readonly html: string
  readonly status: number
  readonly #service: Pick<CalledService, 'fetch'>
  readonly #path: string
  readonly #as: string | undefined
  #fields: Pairs

  private constructor(opened: {
    readonly service: Pick<CalledService, 'fetch'>
    readonly path: string
    readonly as: string | undefined
    readonly status: number
    readonly html: string
  }) {
    this.#service = opened.service
    this.#path = opened.path.replace(/\?.*/, '')
    this.#as = opened.as
    this.status = opened.status
    this.html = opened.html
    this.#fields = fieldsIn(opened.html)
  }

  static async open(
    service: Pick<CalledService, 'fetch'>,
    path: string,
    as?: string,
  ): Promise<EntityForm> {
    const answer = await service.fetch(path, as === undefined ? {} : { as })
    const html = await answer.text()
    return new EntityForm({ service, path, as, status: answer.status, html })
  }

  get fields(): ReadonlyMap<string, string> {
    return new Map(this.#fields)
  }

  /** Types into fields; null unchecks. Without the field, it fails: nobody could type there. */
  type(values: Readonly<Record<string, string | null>>): this {
    for (const [name, value] of Object.entries(values)) {
      const isThere = this.html.includes(` name="${name}"`)
      if (!isThere) throw new Error(`The form has no field ${name}`)
      const others = this.#fields.filter(([field]) => field !== name)
      this.#fields = value === null ? others : [...others, [name, value]]
    }
    return this
  }

  /** Presses a button, and reads the page that comes. */
  async press(action: string): Promise<EntityForm> {
    const answer = await this.send(action)
    const opened = { service: this.#service, path: this.#path, as: this.#as }
    return new EntityForm({ ...opened, status: answer.status, html: await answer.text() })
  }

  send(action: string): Promise<Response> {
    const body = new URLSearchParams()
    for (const [name, value] of this.#fields) body.append(name, value)
    body.set('action', action)
    const as = this.#as === undefined ? {} : { as: this.#as }
    return this.#service.fetch(this.#path, { method: 'POST', body, ...as })
  }
}

/** The fields that a browser would send: checked boxes alone, and the chosen option of each list. */
function fieldsIn(html: string): Pairs {
  const inputs = [...html.matchAll(/<input[^>]*>/g)].flatMap(([tag]) => {
    const name = attributeIn(tag, 'name')
    if (name === null || (tag.includes('type="checkbox"') && !/ checked(?:=|\s|\/|>)/.test(tag))) {
      return []
    }
    return [[name, attributeIn(tag, 'value') ?? ''] as const]
  })
  const selects = [...html.matchAll(/<select([^>]*)>([^]*?)<\/select>/g)].flatMap(
    ([, tag = '', options = '']) => {
      const name = attributeIn(tag, 'name')
      const all = [...options.matchAll(/<option[^>]*>/g)].map(([option]) => option)
      const chosen = all.find((option) => option.includes(' selected')) ?? all[0] ?? ''
      return name === null ? [] : [[name, attributeIn(chosen, 'value') ?? ''] as const]
    },
  )
  const areas = [...html.matchAll(/<textarea([^>]*)>\n?([^<]*)</g)].flatMap(
    ([, tag = '', text = '']) => {
      const name = attributeIn(tag, 'name')
      return name === null ? [] : [[name, unescape(text)] as const]
    },
  )
  return [...inputs, ...selects, ...areas]
}

function attributeIn(tag: string, name: string): string | null {
  const [, value] = new RegExp(` ${name}="([^"]*)"`).exec(tag) ?? []
  return value === undefined ? null : unescape(value)
}
