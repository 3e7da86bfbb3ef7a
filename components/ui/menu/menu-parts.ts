/** The parts of menus, loaded separately from their triggers: see `controls/menu.tsx`. */
export { DropdownMenu as MenuParts } from 'radix-ui';
