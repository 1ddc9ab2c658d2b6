package tree

// Types is a set of JSON types. Numbers are split into integers and fractions.
type Types uint8

// The types.
const (
	NullType Types = 1 << iota
	BooleanType
	StringType
	IntegerType
	FractionType // a number that isn't an integer
	ArrayType
	ObjectType

	NumberType = IntegerType | FractionType
	AnyType    = NullType | BooleanType | StringType | NumberType | ArrayType | ObjectType
)

var typesByName = map[string]Types{
	"null": NullType, "boolean": BooleanType, "string": StringType, "integer": IntegerType, "number": NumberType,
	"array": ArrayType, "object": ObjectType,
}

// Types returns the types that the keyword type accepts, as [TypesIn] does.
func (n *Node) Types() (types Types, ok bool) { return TypesIn(n.Value("type")) }

// TypesIn returns the types that a value of the keyword type accepts. ok is
// false for nil and for a value that names anything but types. A name that
// isn't a type accepts nothing.
func TypesIn(value any) (types Types, ok bool) {
	switch value := value.(type) {
	case string:
		types, ok = typesByName[value]
		return types, ok
	case []any:
		ok = len(value) > 0
		for _, item := range value {
			name, _ := item.(string)
			one, known := typesByName[name]
			types, ok = types|one, ok && known
		}
		return types, ok
	default:
		return AnyType, false
	}
}

// TypeOf returns the type of a value that strictjson.Parse returned, as a set.
func TypeOf(value any) Types {
	switch value.(type) {
	case nil:
		return NullType
	case bool:
		return BooleanType
	case string:
		return StringType
	case int64, uint64:
		return IntegerType
	case float64:
		return FractionType
	case []any:
		return ArrayType
	default:
		return ObjectType
	}
}

// Accepts reports whether the set contains a value's type.
func (t Types) Accepts(value any) bool { return t&TypeOf(value) != 0 }
