import type { Child } from 'hono/jsx'
import type { Plan } from '../../builds/plan/plan-configuration.ts'
import type { Problem } from '../../core/problem.ts'
import { MessageField } from '../edit/edit-view.tsx'
import { PlanCard } from '../edit/plan-card.tsx'
import { FOR_OTHERS } from '../edit/propose-change.ts'
import { SaveButtons } from '../edit/save-preview.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { ActionButton, SAVE } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { ProblemAtField, refusedAs, Select, type SelectOption } from '../kit/forms.tsx'
import { ProblemList } from '../kit/lists.tsx'
import { NoticeCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import type { Links } from '../kit/links.ts'

/** The pipeline that the form would create. */
export interface PreviewedPipeline {
  readonly xml: string
  /** Null where it cannot be merged as it is. */
  readonly plan: Plan | null
  /** Whether the caller may propose it, and not create it. */
  readonly isForOthers: boolean
}

export interface NewPipelineViewProps {
  readonly frame: PageFrame
  readonly values: ReadonlyMap<string, string>
  readonly problems: readonly Problem[]
  readonly preview: PreviewedPipeline | null
  /** The groups that the caller may add pipelines to, or propose them for. */
  readonly groups: readonly string[]
  /** Whether the caller may propose pipelines, and create none. */
  readonly isForOthers: boolean
  /** Null for callers who may copy none. */
  readonly copy: CopyablePipelines | null
}

/** The pipelines that may be copied, as far as they match a search. */
export interface CopyablePipelines {
  /** The text that their names or groups have. */
  readonly find: string
  /** The first that match. */
  readonly names: readonly string[]
  readonly matching: number
  readonly total: number
}

/** The form for a pipeline with one material and one task; its XML and plan before it is created. */
export function NewPipelineView(props: NewPipelineViewProps) {
  const { frame, preview, values } = props
  const problems = props.problems.map((problem) => inWords(problem, values))
  const { links } = frame
  const title = props.isForOthers ? 'Propose a pipeline' : 'New pipeline'
  return (
    <PageLayout frame={frame} title={title} section="pipelines" styles={['edit.css']}>
      <PageHead
        title={title}
        trail={[['Pipelines', links.pipelines()]]}
        about="One material, stage, job and task to start with."
      />
      <ProblemList
        title={countOf(problems.length, 'problem')}
        problems={problems}
        of={({ message, path }) =>
          path === undefined ? message : <a href={`#${path}`}>{message}</a>
        }
        isAlert
      />
      <form class="edit new-pipeline" method="post" action={links.newPipeline()}>
        {preview !== null && <Preview preview={preview} />}
        <General {...props} problems={problems} />
        <Material {...props} problems={problems} />
        <Task {...props} problems={problems} />
        <div class="actions">
          <MessageField message={values.get('message') ?? ''} />
          <ActionButton
            value="preview"
            label="Preview"
            look={preview === null ? 'primary' : undefined}
            shortcut={preview === null ? SAVE : undefined}
          />
          {preview !== null && <SaveButtons {...preview} value="create" label="Create pipeline" />}
        </div>
      </form>
      {props.copy !== null && props.copy.total > 0 && <Copy links={links} copy={props.copy} />}
    </PageLayout>
  )
}

/** A problem as the form says it, which knows no parameters. */
function inWords(
  { path = '', message, ...problem }: Problem,
  values: NewPipelineViewProps['values'],
): Problem {
  const value = values.get(path) ?? ''
  const called = path === 'url' ? 'URL' : path.replace(/(?=[A-Z])/g, ' ').toLowerCase()
  if (path === '') return { ...problem, message }
  if (value === '') return { ...problem, path, message: `Enter the ${called}` }
  const isOdd = path === 'name' && /[^\w.-]/.test(value)
  const allowed = 'Use letters, digits, "-", "_" and "." in the name'
  const said = message.replace(`the parameter "${path}"`, `The ${called}`)
  return { ...problem, path, message: isOdd ? allowed : said }
}

function Preview({ preview: { xml, plan, isForOthers } }: { preview: PreviewedPipeline }) {
  return (
    <>
      <NoticeCard>{isForOthers ? FOR_OTHERS : null}</NoticeCard>
      <section class="card">
        <h2>The XML</h2>
        <pre class="code">{xml}</pre>
      </section>
      {plan !== null && <PlanCard plan={plan} />}
    </>
  )
}

function General(props: NewPipelineViewProps) {
  return (
    <fieldset class="card">
      <legend>Pipeline</legend>
      <TextField {...props} name="name" label="Name" required />
      <TextField
        {...props}
        name="pipelineGroup"
        label="Group"
        list="groups"
        hint={
          props.copy === null
            ? `A group that you ${props.isForOthers ? 'may view' : 'administer'}`
            : 'Created if new. Default: defaultGroup'
        }
      />
      <datalist id="groups">
        {props.groups.map((group) => (
          <option value={group} />
        ))}
      </datalist>
    </fieldset>
  )
}

function Material(props: NewPipelineViewProps) {
  return (
    <fieldset class="card">
      <legend>Material</legend>
      <Choices {...props} name="scm" label="Version control" options={SCMS} />
      <TextField
        {...props}
        name="url"
        label="URL"
        required
        hint={<span data-of="p4">For Perforce, the P4PORT</span>}
      />
      <TextField {...props} name="branch" label="Branch" of="git" />
      <TextField {...props} name="username" label="User name" of="svn p4 tfs" />
      <TextField
        {...props}
        name="password"
        label="Password"
        type="password"
        of="svn p4 tfs"
        hint="Encrypted before it is saved"
      />
      <Choices {...props} name="useTickets" label="Use tickets" options={TICKETS} of="p4" />
      <TextField {...props} name="view" label="View" of="p4" />
      <TextField {...props} name="domain" label="Domain" of="tfs" />
      <TextField {...props} name="projectPath" label="Project path" of="tfs" />
    </fieldset>
  )
}

function Task(props: NewPipelineViewProps) {
  return (
    <fieldset class="card">
      <legend>Task</legend>
      <Choices {...props} name="builder" label="Builder" options={BUILDERS} />
      <TextField
        {...props}
        name="command"
        label="Command"
        of="exec"
        hint="With its arguments, quoted as in a shell. No shell runs it: for && or |, use sh -c '…'"
      />
      <TextField {...props} name="buildfile" label="Build file" of="ant nant rake" />
      <TextField {...props} name="target" label="Target" of="ant nant rake" />
      <TextField {...props} name="source" label="Artifact" hint="File or folder to keep" />
      <TextField {...props} name="dest" label="Artifact folder" />
    </fieldset>
  )
}

const SCMS: readonly SelectOption[] = [
  ['git', 'Git'],
  ['svn', 'Subversion'],
  ['hg', 'Mercurial'],
  ['p4', 'Perforce'],
  ['tfs', 'Team Foundation Server'],
]
const BUILDERS: readonly SelectOption[] = [
  ['exec', 'Command'],
  ['ant', 'Ant'],
  ['nant', 'NAnt'],
  ['rake', 'Rake'],
]
const TICKETS: readonly SelectOption[] = [
  ['', 'No'],
  ['true', 'Yes'],
]

interface FieldProps extends NewPipelineViewProps {
  readonly name: string
  readonly label: string
  /** The choices above that the field belongs to; it belongs to all without. */
  readonly of?: string
  readonly hint?: Child
}

interface InputProps extends FieldProps {
  readonly type?: string
  readonly list?: string
  readonly required?: boolean
}

function TextField({ type = 'text', list, required, ...props }: InputProps) {
  const { name, values } = props
  return (
    <Labelled {...props}>
      <input
        id={name}
        name={name}
        type={type}
        value={values.get(name) ?? ''}
        list={list}
        required={required}
        autocomplete={type === 'password' ? 'new-password' : 'off'}
        {...stateOf(props)}
      />
    </Labelled>
  )
}

function Choices({
  options,
  ...props
}: FieldProps & { readonly options: readonly SelectOption[] }) {
  const { name, values } = props
  return (
    <Labelled {...props}>
      <Select
        id={name}
        name={name}
        options={options}
        chosen={values.get(name)}
        attributes={stateOf(props)}
      />
    </Labelled>
  )
}

function Labelled(props: FieldProps & { readonly children: Child }) {
  const { name, label, of, hint, problems, children } = props
  const problem = problemAt(problems, name)
  return (
    <div class="form-row" data-of={of}>
      <label for={name}>{label}</label>
      {children}
      <ProblemAtField name={name} problem={problem} />
      {hint !== undefined && problem === undefined && (
        <span class="muted" id={`${name}-hint`}>
          {hint}
        </span>
      )}
    </div>
  )
}

function stateOf({ name, hint, problems }: FieldProps) {
  const hinted = hint === undefined ? {} : { 'aria-describedby': `${name}-hint` }
  return { ...hinted, ...refusedAs(name, problemAt(problems, name)) }
}

function problemAt(problems: readonly Problem[], name: string): string | undefined {
  return problems.find(({ path }) => path === name)?.message
}

/** A search for the pipeline where a list of all would be too long, and the form of the copy. */
function Copy({ links, copy }: { links: Links; copy: CopyablePipelines }) {
  const { find, names, matching, total } = copy
  const isSearched = total > names.length || find !== ''
  return (
    <section class="card new-pipeline" id="copy-of" aria-labelledby="copy-title">
      <h2 id="copy-title">Or copy a pipeline</h2>
      {isSearched && <SearchForm links={links} find={find} />}
      {matching > names.length && (
        <p class="muted">{`The first ${names.length} of ${matching.toLocaleString('en')}.`}</p>
      )}
      {names.length === 0 ? <p>No pipelines match.</p> : <CopyForm links={links} names={names} />}
    </section>
  )
}

function SearchForm({ links, find }: { links: Links; find: string }) {
  return (
    <form
      class="form-row"
      role="search"
      aria-label="Pipelines"
      action={`${links.newPipeline()}#copy-of`}
    >
      <label for="find">Find</label>
      <input id="find" type="search" name="find" value={find} maxlength={255} />
      <button>Find</button>
    </form>
  )
}

/** A copy goes through the editor, because a pipeline may be anything. */
function CopyForm({ links, names }: { links: Links; names: readonly string[] }) {
  return (
    <form method="get" action={links.edit()}>
      <div class="form-row">
        <label for="copy">Copy of</label>
        <Select id="copy" name="copy" options={names.map((name) => [name, name])} />
      </div>
      <div class="form-row">
        <label for="as">Name of the copy</label>
        <input id="as" name="as" required autocomplete="off" />
      </div>
      <div class="actions">
        <button>Open the copy in the editor</button>
      </div>
    </form>
  )
}
