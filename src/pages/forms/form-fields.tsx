import type { Child } from 'hono/jsx'
import { capitalised } from '../../lib/texts.ts'
import type {
  FieldPart,
  FormPart,
  FormShape,
  FormList,
  RowKind,
  SectionPart,
} from '../../document/form/form-shape.ts'
import { kindOf } from '../../document/form/form-edits.ts'
import { VALUE_TYPES } from '../../document/schema/value-types.ts'
import {
  type FormRow,
  type FormValues,
  isFlag,
  NO_VALUES,
  SEALED,
  STORED,
} from '../../document/form/form-values.ts'
import { ActionButton } from '../kit/buttons.tsx'
import { CheckBox, Options, Select, type SelectOption } from '../kit/forms.tsx'
import { FIELD, REMOVED, rowFields, TYPED } from './form-codec.ts'

/** A problem, and the field or the row that has it. */
export interface ShownProblem {
  /** Null where it is in no field of the form. */
  readonly path: string | null
  readonly message: string
}

/** Values that the configuration has, offered while one types. */
export type Suggested = ReadonlyMap<string, readonly SelectOption[]>

/** A form with its values, as far as all its parts need it. */
export interface ShownForm {
  readonly values: FormValues
  readonly problems: readonly ShownProblem[]
  /** The row that was added or moved, or the list that lost one. */
  readonly focus: string | null
  readonly suggested: Suggested
}

interface PlacedForm extends ShownForm {
  readonly shape: FormShape
  /** Begins the names of its fields. */
  readonly path: string
}

/** The lists of suggestions, by the fields that they are for. */
const SUGGESTIONS: ReadonlyMap<string, string> = new Map([
  ['user@text', 'users'],
  ['users/user@text', 'users'],
  ['role/user@text', 'users'],
  ['role@text', 'roles'],
  ['physical@uuid', 'agents'],
  ['resource@text', 'resources'],
  ['pipelines/pipeline@template', 'templates'],
  ['materials/pipeline@pipelineName', 'pipelines'],
  ['environment/pipelines/pipeline@name', 'pipelines'],
])

/** Rows with no more fields than this are one line. */
const SHORT_ROW = 3
/** With more rows, those that nobody works on are folded. */
const UNFOLDED_ROWS = 4
/** With more kinds of rows, they are chosen from a list. */
const MAX_ADD_BUTTONS = 3

/** Values that are another word to people. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['true', 'Yes'],
  ['false', 'No'],
])

/** The kind of material that is added most. */
const USUAL_MATERIAL = 'git'

export function Suggestions({ suggested }: { suggested: Suggested }) {
  return (
    <>
      {[...suggested].map(([name, options]) => (
        <datalist id={`suggested-${name}`}>
          <Options options={options} chosen={null} />
        </datalist>
      ))}
    </>
  )
}

/** The fields of an element itself, one line for all. */
export function FormFields(props: PlacedForm) {
  const fields = props.shape.parts.filter((part) => isField(part))
  if (fields.length === 0) return <></>
  return (
    <div class="field-line">
      {fields.map((part, n) => (
        <Field {...props} part={part} isFirst={n === 0} />
      ))}
    </div>
  )
}

function isField(part: FormPart): part is FieldPart {
  return part.kind !== 'list' && part.kind !== 'section'
}

interface PartProps extends PlacedForm {
  readonly part: FormPart
  /** Whether its title is above it already. */
  readonly isTitled?: boolean
}

/** A section or a list below the fields of its element. */
export function Part({ part, isTitled = false, ...props }: PartProps) {
  if (isField(part)) return <></>
  const content =
    part.kind === 'section' ? (
      <SectionFields {...props} part={part} />
    ) : (
      <Rows {...props} part={part} />
    )
  if (isTitled) return content
  if (part.kind === 'list' && (props.values.lists.get(part.name) ?? []).length === 0) {
    return (
      <div class="actions" role="group" aria-label={part.label}>
        <span class="muted">{part.label}</span>
        {content}
      </div>
    )
  }
  return (
    <fieldset class="box part">
      <legend>{part.label}</legend>
      {content}
    </fieldset>
  )
}

function SectionFields({ part, ...props }: PlacedForm & { readonly part: SectionPart }) {
  const values = props.values.sections.get(part.name) ?? NO_VALUES
  const path = `${props.path}${part.name}.`
  return <Below {...props} shape={part.shape} values={values} path={path} />
}

function Below(props: PlacedForm) {
  return (
    <>
      <FormFields {...props} />
      {props.shape.parts.map((part) => (
        <Part {...props} part={part} />
      ))}
    </>
  )
}

interface RowsProps extends PlacedForm {
  readonly part: FormList
}

function Rows({ part, ...props }: RowsProps) {
  const rows = props.values.lists.get(part.name) ?? []
  const path = `${props.path}${part.name}`
  return (
    <>
      {rows.map((row, n) => (
        <Row {...props} part={part} row={row} n={n} isFolded={rows.length > UNFOLDED_ROWS} />
      ))}
      <AddRow part={part} path={path} hasFocus={props.focus === path} />
    </>
  )
}

function AddRow({
  part: { rows, item },
  path,
  hasFocus,
}: {
  readonly part: FormList
  readonly path: string
  readonly hasFocus: boolean
}) {
  const add = `add:${path}`
  if (rows.length > MAX_ADD_BUTTONS) {
    const options = rows.map(({ kind, label }): SelectOption => [kind, capitalised(label)])
    const usual = rows.find(({ kind }) => kind === USUAL_MATERIAL)?.kind
    return (
      <p class="actions">
        <Select name={`new.${path}`} label={`Kind of ${item}`} options={options} chosen={usual} />
        <button name="action" value={add} autofocus={hasFocus}>
          {`Add ${item}`}
        </button>
      </p>
    )
  }
  return (
    <p class="actions">
      {rows.map(({ kind, label }, n) => (
        <button name="action" value={`${add}:${kind}`} autofocus={hasFocus && n === 0}>
          {`Add ${label}`}
        </button>
      ))}
    </p>
  )
}

interface RowProps extends RowsProps {
  readonly row: FormRow
  readonly n: number
  readonly isFolded: boolean
}

function Row({ part, row, n, isFolded, ...props }: RowProps) {
  const at = `${props.path}${part.name}.${n}`
  const kind = kindOf(part, row)
  if (!kind) return <></>
  const inner = { ...props, shape: kind.shape, values: row, path: `${at}.` }
  const isShort =
    kind.shape.parts.every((each) => isField(each)) && kind.shape.parts.length <= SHORT_ROW
  const name = nameOf(kind, row)
  const called = `${kind.label} ${name}`.trimEnd()
  const buttons = <RowButtons at={at} n={n} called={called} />
  const hidden = rowFields(row, `${FIELD}${at}`).map(([field, value]) => (
    <input type="hidden" name={field} value={value} />
  ))
  const problem = problemAt(props, at)
  const end = (
    <>
      {hidden}
      {problem !== null && <p class="missing">{problem}</p>}
    </>
  )
  if (isShort) {
    return (
      <div class="field-line" id={`${FIELD}${at}`} role="group" aria-label={called}>
        {kind.shape.parts.map((each, index) =>
          isField(each) ? <Field {...inner} part={each} isFirst={index === 0} /> : null,
        )}
        {buttons}
        {end}
      </div>
    )
  }
  const isOpen = !isFolded || row.from === null || isAbout(props, at)
  return (
    <details class="box part" open={isOpen} id={`${FIELD}${at}`} aria-label={called}>
      <summary>
        <b>{capitalised(kind.label)}</b> {name}
      </summary>
      {end}
      <Below {...inner} />
      {buttons}
    </details>
  )
}

/** The first of its values that says something, as a name for people. */
function nameOf({ shape }: RowKind, { fields }: FormRow): string {
  const named = fields.get('name') ?? ''
  if (named !== '') return named
  const telling = shape.parts.filter((part) => isField(part) && part.type !== VALUE_TYPES.boolean)
  return telling.map(({ name }) => fields.get(name) ?? '').find((value) => value !== '') ?? ''
}

/** Whether a problem or the focus is in a row. */
function isAbout({ problems, focus }: ShownForm, at: string): boolean {
  const paths = [focus, ...problems.map(({ path }) => path)]
  return paths.some((path) => path !== null && `${path}.`.startsWith(`${at}.`))
}

function RowButtons({
  at,
  n,
  called,
}: {
  readonly at: string
  readonly n: number
  readonly called: string
}) {
  return (
    <span class="actions">
      {n > 0 && (
        <ActionButton value={`up:${at}`} label="↑" hint={`Move ${called} up`} look="quiet" />
      )}
      <ActionButton value={`remove:${at}`} label="Remove" hint={`Remove ${called}`} look="quiet" />
    </span>
  )
}

interface FieldProps extends PlacedForm {
  readonly part: FieldPart
  readonly isFirst: boolean
}

function problemAt({ problems }: ShownForm, at: string): string | null {
  return problems.find(({ path }) => path === at)?.message ?? null
}

function Field(props: FieldProps) {
  const { part, path, isFirst, focus } = props
  const at = path + part.name
  const id = FIELD + at
  const problem = problemAt(props, at)
  const attributes = {
    id,
    name: id,
    autofocus: isFirst && focus !== null && `${focus}.` === path,
    'aria-invalid': problem === null ? undefined : ('true' as const),
    'aria-describedby': problem === null ? undefined : `${id}-problem`,
  }
  const said = problem !== null && (
    <span class="missing" id={`${id}-problem`}>
      {problem}
    </span>
  )
  const value = props.values.fields.get(part.name) ?? ''
  if (isFlag(part)) {
    return (
      <label class="check">
        <input type="checkbox" value="true" checked={value === 'true'} {...attributes} />
        {part.label}
        {said}
      </label>
    )
  }
  if (part.kind === 'secret') {
    return <SecretField {...props} id={id} attributes={attributes} said={said} />
  }
  return (
    <label class="field">
      {part.label}
      <Control {...props} value={value} attributes={attributes} />
      {said}
    </label>
  )
}

interface ControlProps extends FieldProps {
  readonly value: string
  readonly attributes: Readonly<Record<string, string | boolean | undefined>>
}

function Control({ part, shape, suggested, value, attributes }: ControlProps) {
  const { values } = part.type
  if (values !== undefined && part.kind === 'attribute') {
    const known = values.includes(value) || value === '' ? values : [value, ...values]
    const options = known.map((each): SelectOption => [each, ANSWERS.get(each) ?? each])
    const unset =
      part.absent === null ? 'Not set' : `Not set (${ANSWERS.get(part.absent) ?? part.absent})`
    const none: SelectOption[] = part.required && value !== '' ? [] : [['', unset]]
    return (
      <select {...attributes}>
        <Options options={[...none, ...options]} chosen={value} />
      </select>
    )
  }
  if (value.includes('\n') || shape.key === 'p4/view') {
    return (
      <textarea rows={Math.min(8, value.split('\n').length + 1)} {...attributes}>
        {`\n${value}`}
      </textarea>
    )
  }
  const name = SUGGESTIONS.get(`${shape.key}@${part.name}`)
  const list = name !== undefined && suggested.has(name) ? `suggested-${name}` : undefined
  return (
    <input
      type="text"
      value={value}
      placeholder={part.absent || undefined}
      list={list}
      {...attributes}
    />
  )
}

interface SecretFieldProps extends FieldProps {
  readonly id: string
  readonly attributes: ControlProps['attributes']
  readonly said: Child
}

/** A secret is typed anew or kept, and never shown. */
function SecretField({ part, shape, values: { fields }, id, attributes, said }: SecretFieldProps) {
  const sealed = fields.get(part.name + SEALED) ?? ''
  const isStored = fields.get(part.name + STORED) === 'true'
  const kept = sealed !== '' ? 'The new value is kept' : isStored ? 'The stored value is kept' : ''
  return (
    <>
      <label class="field">
        {shape.variable === null ? part.label : 'Secure value'}
        <input
          type="password"
          placeholder={kept}
          autocomplete="new-password"
          {...attributes}
          name={id + TYPED}
        />
        {said}
      </label>
      <input type="hidden" name={id + SEALED} value={sealed} />
      {isStored && shape.variable === null && (
        <CheckBox
          name={id + REMOVED}
          value="true"
          label={`Remove the ${part.label.toLowerCase()}`}
        />
      )}
    </>
  )
}
