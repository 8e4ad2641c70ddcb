import type { Child } from 'hono/jsx'

interface FieldProps {
  readonly label: Child
  readonly type?: string
  readonly name: string
  readonly value?: string
  readonly id?: string
  readonly maxlength?: number
  readonly min?: number
  readonly placeholder?: string
  readonly autocomplete?: string
  readonly autocapitalize?: 'none'
  readonly required?: boolean
  readonly autofocus?: boolean
  /** The id of the list that it proposes. */
  readonly list?: string
  /** Why its value was refused. */
  readonly problem?: string | undefined
}

/** A field of one line below its label. */
export function Field({ label, type = 'text', problem, ...input }: FieldProps) {
  return (
    <label class="field">
      {label}
      <input type={type} {...input} {...refusedAs(input.name, problem)} />
      <ProblemAtField name={input.name} problem={problem} />
    </label>
  )
}

/** The attributes of a field whose value was refused. */
export function refusedAs(name: string, problem: string | undefined) {
  if (problem === undefined) return {}
  return { 'aria-invalid': 'true', 'aria-describedby': `${name}-problem` } as const
}

/** Says at a field why its value was refused. */
export function ProblemAtField({ name, problem }: Pick<FieldProps, 'name' | 'problem'>) {
  if (problem === undefined) return <></>
  return (
    <span class="problem" id={`${name}-problem`}>
      {problem}
    </span>
  )
}

/** A value that can be chosen, with its label. */
export type SelectOption = readonly [value: string | number, label: string]

interface SelectProps {
  readonly name: string
  /** The label of a select without one that is seen. */
  readonly label?: string
  readonly id?: string
  readonly options: readonly SelectOption[]
  readonly chosen?: string | number | null | undefined
  readonly attributes?: Readonly<Record<string, string | undefined>>
}

/** A choice from a list. */
export function Select({ name, label, id, options, chosen, attributes }: SelectProps) {
  return (
    <select id={id} name={name} aria-label={label} {...attributes}>
      <Options options={options} chosen={chosen} />
    </select>
  )
}

/** The entries of a select. */
export function Options({ options, chosen }: Pick<SelectProps, 'options' | 'chosen'>) {
  return (
    <>
      {options.map(([value, label]) => (
        <option value={value} selected={value === chosen}>
          {label}
        </option>
      ))}
    </>
  )
}

interface SelectFieldProps extends Omit<SelectProps, 'label'> {
  readonly label: Child
}

/** A choice below its label. */
export function SelectField({ label, ...select }: SelectFieldProps) {
  return (
    <label class="field">
      {label}
      <Select {...select} />
    </label>
  )
}

interface CheckBoxProps {
  readonly name: string
  readonly value?: string
  readonly isChecked?: boolean
  readonly label: Child
}

/** A box to tick, with its label behind it. */
export function CheckBox({ name, value = '1', isChecked = false, label }: CheckBoxProps) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value={value} checked={isChecked} /> {label}
    </label>
  )
}

interface ActionFormProps {
  readonly action: string
  /** For buttons that stand elsewhere. */
  readonly id?: string
  readonly title: Child
  /** The effect of the action. */
  readonly about?: Child
  readonly buttons: Child
  readonly children?: Child
}

/** A card with fields, and the buttons that send them. */
export function ActionForm({ action, id, title, about, buttons, children }: ActionFormProps) {
  return (
    <form class="card fields" id={id} method="post" action={action}>
      <h2>{title}</h2>
      {about && <p>{about}</p>}
      {children}
      <p class="actions">{buttons}</p>
    </form>
  )
}

interface ConfirmationProps {
  readonly title: string
  readonly about: Child
  /** The button that does it, and the link that does not. */
  readonly children: Child
}

/** A question before an action. It has the focus, and is scrolled to with it. */
export function Confirmation({ title, about, children }: ConfirmationProps) {
  return (
    <div class="confirm" role="group" aria-labelledby="confirm-title" tabindex={-1} autofocus>
      <h3 id="confirm-title">{title}</h3>
      <p>{about}</p>
      <div class="actions">{children}</div>
    </div>
  )
}

interface FilterFormProps {
  readonly action: string
  /** The name of the list. */
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly hint: string
  /** Further fields. */
  readonly fields?: Child
  /** Whether the list has nothing to filter: only the buttons stand there. */
  readonly isEmpty?: boolean
  /** Buttons beside the filter. */
  readonly children?: Child
}

/** The filter of a list, in the head of its page. It is part of the address. */
export function FilterForm(props: FilterFormProps) {
  const { action, label, value, placeholder, hint, fields, isEmpty = false, children } = props
  if (isEmpty) return <div class="actions">{children}</div>
  return (
    <form class="actions" role="search" aria-label={label} action={action}>
      <FilterText name="q" value={value} placeholder={placeholder} label={hint} />
      {fields}
      <button>Filter</button>
      {children}
    </form>
  )
}

interface FilterTextProps {
  readonly name: string
  readonly value: string
  readonly label: string
  readonly placeholder?: string | undefined
  /** An explanation, shown where a pointer rests on the field. */
  readonly hint?: string
}

/** The text of a filter, which the key `f` leads to. */
export function FilterText({ label, hint, ...input }: FilterTextProps) {
  return (
    <input
      type="search"
      class="filter-text"
      maxlength={1000}
      title={hint}
      aria-label={label}
      {...input}
    />
  )
}
