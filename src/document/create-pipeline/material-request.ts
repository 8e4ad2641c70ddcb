import type { RequestForm } from './request-form.ts'

interface Login {
  readonly username: string | null
  /** In the clear: it is sealed when the pipeline is written. */
  readonly password: string | null
}

export type MaterialRequest =
  | ({ readonly scm: 'svn'; readonly url: string } & Login)
  | { readonly scm: 'hg'; readonly url: string }
  | { readonly scm: 'git'; readonly url: string; readonly branch: string | null }
  | ({
      readonly scm: 'p4'
      readonly port: string
      readonly useTickets: boolean
      readonly view: string
    } & Login)
  | ({
      readonly scm: 'tfs'
      readonly url: string
      readonly domain: string | null
      readonly projectPath: string
    } & Login)

type Scm = MaterialRequest['scm']

const SCMS = ['svn', 'hg', 'git', 'p4', 'tfs'] as const satisfies readonly Scm[]

/** The parameters of each scm beside `url`, which all of them need. */
const PARAMETERS: Readonly<Record<Scm, readonly string[]>> = {
  svn: ['username', 'password'],
  hg: [],
  git: ['branch'],
  p4: ['username', 'password', 'useTickets', 'view'],
  tfs: ['username', 'password', 'domain', 'projectPath'],
}

/** Null when the scm is not known; its problem is in the form. */
export function readMaterialRequest(form: RequestForm): MaterialRequest | null {
  const scm = form.choice('scm', SCMS)
  const url = form.required('url', scm ? ` for scm ${scm}` : '')
  if (!scm) return null
  const foreign = Object.values(PARAMETERS)
    .flat()
    .filter((name) => !PARAMETERS[scm].includes(name))
  form.exclude([...new Set(foreign)], `does not belong to scm ${scm}`)
  return READERS[scm](form, url)
}

const READERS: Readonly<Record<Scm, (form: RequestForm, url: string) => MaterialRequest>> = {
  svn: (form, url) => ({ scm: 'svn', url, ...readLogin(form) }),
  hg: (_, url) => ({ scm: 'hg', url }),
  git: (form, url) => ({ scm: 'git', url, branch: form.optional('branch') }),
  p4: (form, port) => ({
    scm: 'p4',
    port,
    ...readLogin(form),
    useTickets: form.choice('useTickets', ['false', 'true']) === 'true',
    view: form.required('view', ' for scm p4').replace(/\r\n?/g, '\n'),
  }),
  tfs: (form, url) => ({
    scm: 'tfs',
    url,
    username: form.required('username', ' for scm tfs'),
    password: form.optional('password'),
    domain: form.optional('domain'),
    projectPath: form.required('projectPath', ' for scm tfs'),
  }),
}

/** An empty user name is one, as it was for the original; an empty password is none. */
function readLogin(form: RequestForm): Login {
  return { username: form.exact('username'), password: form.optional('password') }
}
