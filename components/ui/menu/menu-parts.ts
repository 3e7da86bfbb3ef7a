/** What menus are made of, loaded apart from their triggers: see `controls/menu.tsx`. */
export { DropdownMenu as MenuParts } from 'radix-ui';
