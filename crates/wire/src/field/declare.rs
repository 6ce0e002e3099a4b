//! Declarations of structures and closed sets of words, from which reading and writing follow.

/// Declares structures of the wire: `field as "name" (since V3): Type [rule]`. A field `since V3` is written from
/// that version on and is required in it if its rule says so. `..extra` keeps unknown fields.
macro_rules! wire_map {
    ($($(#[$meta:meta])* $name:ident {
        $($(#[$field_meta:meta])* $field:ident $(as $wire:literal)? $((since $since:ident))? : $ty:ty $([$rule:path])?,)*
        $(..$extra:ident)?
    })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$field_meta])* pub $field: $ty,)*
            $(/// Fields that are not known here, kept as they came.
            pub $extra: $crate::raw::Extra,)?
        }

        impl $crate::field::WireFields for $name {
            fn read_fields(
                map: &mut $crate::field::MapReader<'_>,
                reading: &mut $crate::field::ReadContext,
            ) -> Option<Self> {
                $(let $field: Option<$ty> = {
                    let name = $crate::field::wire_name!($field $($wire)?);
                    let value = map.field_since::<$ty>(
                        name,
                        $crate::field::since!($($since)?),
                        reading,
                    );
                    $(if let Some(value) = &value {
                        $rule(value, &map.path.key(name), reading);
                    })?
                    value
                };)*
                $(let $extra = map.extra();)?
                let _ = (&map, &reading);
                Some(Self { $($field: $field?,)* $($extra)? })
            }

            fn count(&self, version: $crate::message_type::Version) -> usize {
                let _ = version;
                let fields: &[bool] = &[$(
                    !$crate::field::WireValue::is_absent(&self.$field)
                        && version >= $crate::field::since!($($since)?),
                )*];
                let count = fields.iter().filter(|is_written| **is_written).count();
                $(let count = count + self.$extra.0.len();)?
                count
            }

            fn write_fields(&self, out: &mut $crate::writer::Writer<'_>) {
                $(if !$crate::field::WireValue::is_absent(&self.$field)
                    && out.version >= $crate::field::since!($($since)?)
                {
                    out.text($crate::field::wire_name!($field $($wire)?));
                    $crate::field::WireValue::write(&self.$field, out);
                })*
                $($crate::field::write_extra(&self.$extra, out);)?
                let _ = out;
            }
        }

        impl $crate::field::WireValue for $name {
            fn read(
                slot: $crate::field::Slot<'_>,
                reading: &mut $crate::field::ReadContext,
            ) -> Option<Self> {
                let mut map = $crate::field::MapReader::open(slot, reading)?;
                $crate::field::WireFields::read_fields(&mut map, reading)
            }

            fn write(&self, out: &mut $crate::writer::Writer<'_>) {
                out.map($crate::field::WireFields::count(self, out.version));
                $crate::field::WireFields::write_fields(self, out);
            }
        }
    )*};
}

/// The name of a field on the wire: its own, or the one given.
macro_rules! wire_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $wire:literal) => {
        $wire
    };
}

/// The version that brought a field: the first, or the one given.
macro_rules! since {
    () => {
        $crate::message_type::Version::V1
    };
    ($since:ident) => {
        $crate::message_type::Version::$since
    };
}

/// Declares a closed set of words.
macro_rules! wire_words {
    ($($(#[$meta:meta])* $name:ident { $($(#[$word_meta:meta])* $variant:ident $word:literal),* $(,)? })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$word_meta])* $variant),* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }

        impl $crate::field::WireValue for $name {
            fn read(
                slot: $crate::field::Slot<'_>,
                reading: &mut $crate::field::ReadContext,
            ) -> Option<Self> {
                $crate::field::word(slot, reading, Self::ALL, Self::as_str)
            }

            fn write(&self, out: &mut $crate::writer::Writer<'_>) {
                out.text(self.as_str());
            }
        }
    )*};
}

pub(crate) use {since, wire_map, wire_name, wire_words};
